// The programs that parts of Atoll call.

import { findProgram } from '../programs/search.ts'
import type { Check } from './check.ts'

interface Program {
  what: string
  /** Any one of them will do. */
  names: string[]
  need: string
  /** Debian's package. */
  install: string
}

const programs: Program[] = [
  { what: 'npm', names: ['npm'], need: 'installing and updating', install: 'npm' },
  { what: 'PostgreSQL', names: ['initdb'], need: 'tests', install: 'postgresql' },
  { what: 'wrk', names: ['wrk'], need: 'bench', install: 'wrk' },
  { what: 'C compiler', names: ['cc', 'gcc', 'clang'], need: 'engine', install: 'gcc libc6-dev' },
  { what: 'OCI runtime', names: ['crun', 'runc'], need: 'engine', install: 'crun' },
  { what: 'iproute2', names: ['ip'], need: 'engine', install: 'iproute2' },
  { what: 'nftables', names: ['nft'], need: 'engine', install: 'nftables' },
  { what: 'Redis', names: ['redis-server', 'valkey-server'], need: 'cluster (later)', install: 'redis-server' },
]

export function programChecks(): Check[] {
  return programs.map(({ what, names, need, install }) => {
    const found = names.map(findProgram).find((path) => path !== undefined)
    return { what, need, state: found ? 'ok' : 'optional', detail: found ?? `apt-get install ${install}` }
  })
}

// The programs that services and tests call, and whether this user may run those services.
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
  { what: 'OCI runtime', names: ['crun', 'runc'], need: 'engine', install: 'crun' },
  { what: 'iproute2', names: ['ip'], need: 'engine', install: 'iproute2' },
  { what: 'nftables', names: ['nft'], need: 'engine', install: 'nftables' },
  { what: 'nsenter', names: ['nsenter'], need: 'engine', install: 'util-linux' },
  { what: 'ps', names: ['ps'], need: 'engine', install: 'procps' },
  {
    what: 'C compiler',
    names: ['cc', 'gcc', 'clang'],
    need: 'engine',
    install: 'gcc libc6-dev libarchive-dev libssl-dev zlib1g-dev',
  },
  { what: 'Redis', names: ['redis-server', 'valkey-server'], need: 'cluster', install: 'redis-server' },
  { what: 'ffmpeg', names: ['ffmpeg'], need: 'sound in AAC', install: 'ffmpeg' },
  { what: 'PostgreSQL', names: ['initdb'], need: 'tests', install: 'postgresql' },
  { what: 'wrk', names: ['wrk'], need: 'bench', install: 'wrk' },
]

export function programChecks(): Check[] {
  return programs.map(({ what, names, need, install }) => {
    const found = names.map(findProgram).find((path) => path !== undefined)
    return { what, need, state: found ? 'ok' : 'optional', detail: found ?? `apt-get install ${install}` }
  })
}

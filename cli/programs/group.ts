// What a group of nodes runs with in tests and in `./atoll chaos`: a balancer, PostgreSQL with Patroni, a bucket, links.
import { aptInstall, stopService, whyNotInstall } from './apt.ts'
import { prepareObjectStore } from './object-store.ts'
import { findProgram } from './search.ts'

/** Programs, and Debian's packages that have them. */
const packages: Record<string, string> = {
  haproxy: 'haproxy',
  patroni: 'patroni',
  etcd: 'etcd-server',
  nft: 'nftables',
  tc: 'iproute2',
  faketime: 'faketime',
  'mkfs.ext4': 'e2fsprogs',
}

const missingPrograms = (): string[] => Object.keys(packages).filter((program) => findProgram(program) === undefined)

/** Debian's packages. */
export const missingForGroup = (): string[] => missingPrograms().map((program) => packages[program] ?? program)

/** What stays missing is told by who needs it. */
export function prepareGroup(mayInstall: boolean): void {
  prepareObjectStore(mayInstall)
  const missing = missingPrograms()
  if (missing.length === 0 || whyNotInstall(mayInstall) !== undefined) return
  process.stderr.write(`atoll: installing ${missing.join(', ')} …\n`)
  aptInstall(missingForGroup())
  for (const program of missing) stopService(program)
}

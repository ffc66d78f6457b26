// Servers that the gateway's tests send replies to.
import { aptInstall, stopService, whyNotInstall } from './apt.ts'
import { findProgram } from './search.ts'

const servers = ['ngircd', 'mosquitto', 'prosody']

/** Debian's packages. */
export const missingForHooks = (): string[] => servers.filter((name) => findProgram(name) === undefined)

/** For the tests; what stays missing skips the tests that need it. */
export function prepareHooksPrograms(mayInstall: boolean): void {
  if (whyNotInstall(mayInstall) !== undefined) return
  const lacking = missingForHooks()
  if (lacking.length === 0) return
  process.stderr.write(`atoll: installing ${lacking.join(' ')} …\n`)
  aptInstall(lacking)
  for (const name of lacking) stopService(name)
}

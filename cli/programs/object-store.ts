// The S3-compatible store that the tests of blobs use: OpenStack Swift, as a library that tests start by themselves.
import { existsSync } from 'node:fs'
import { aptInstall, whyNotInstall } from './apt.ts'

const swift = '/usr/lib/python3/dist-packages/swift'

/** Debian's packages. */
export const missingObjectStore = (): string[] => (existsSync(swift) ? [] : ['python3-swift'])

/** For the tests; where it stays missing, those that need it are skipped. */
export function prepareObjectStore(mayInstall: boolean): void {
  const lacking = missingObjectStore()
  if (lacking.length === 0 || whyNotInstall(mayInstall) !== undefined) return
  process.stderr.write(`atoll: installing ${lacking.join(' ')} …\n`)
  aptInstall(lacking)
}

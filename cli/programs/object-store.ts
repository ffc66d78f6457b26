// The S3-compatible store that the tests of blobs use: OpenStack Swift, as a library that tests start by themselves.
import { existsSync } from 'node:fs'
import { aptInstall, whyNotInstall } from './apt.ts'

const swift = '/usr/lib/python3/dist-packages/swift'

/** For the tests; where it stays missing, those that need it are skipped. */
export function prepareObjectStore(mayInstall: boolean): void {
  if (existsSync(swift) || whyNotInstall(mayInstall) !== undefined) return
  process.stderr.write('atoll: installing python3-swift …\n')
  aptInstall(['python3-swift'])
}

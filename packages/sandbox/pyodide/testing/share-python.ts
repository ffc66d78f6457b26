// Servers of tests start Python from the file that the sandbox's own tests share: each would make one otherwise, which
// takes longer than the rest of its test.
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { testCacheFolder } from './open-sandbox.ts'

/** `dataFolder` is that of a platform which has not run there yet. */
export function sharePython(dataFolder: string): void {
  mkdirSync(testCacheFolder, { recursive: true, mode: 0o700 })
  symlinkSync(testCacheFolder, join(dataFolder, 'sandbox'))
}

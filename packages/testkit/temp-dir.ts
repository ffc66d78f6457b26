import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterFile } from './after-tests.ts'
import { dataParent } from './memory-disk.ts'

/** A new folder, removed after the test file. */
export const tempDir = (): Promise<string> => makeIn(tmpdir())

/** The same, for the data of a server. */
export const dataDir = (): Promise<string> => makeIn(dataParent())

async function makeIn(parent: string): Promise<string> {
  const folder = await mkdtemp(join(parent, 'atoll-test-'))
  afterFile(() => rm(folder, { recursive: true, force: true }))
  return folder
}

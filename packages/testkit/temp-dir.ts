import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { dataParent } from './memory-disk.ts'

const made: string[] = []

afterAll(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true })
})

/** A new folder, removed after the test file. */
export const tempDir = (): Promise<string> => makeIn(tmpdir())

/** The same, for the data of a server. */
export const dataDir = (): Promise<string> => makeIn(dataParent())

async function makeIn(parent: string): Promise<string> {
  const folder = await mkdtemp(join(parent, 'atoll-test-'))
  made.push(folder)
  return folder
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const made: string[] = []

afterAll(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true })
})

/** A new folder, removed after the test file. */
export async function tempDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-test-'))
  made.push(folder)
  return folder
}

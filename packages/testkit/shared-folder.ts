// One folder for a whole run of the tests: what is costly to make is made in it once, by the first who needs it.

import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { makeMemoryFolder } from './memory-disk.ts'

const variable = 'ATOLL_TEST_SHARED'
const patienceMs = 60_000

/** Called once, before all test files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-tests-'))
  // Servers that refuse to run as root read from it as another user.
  await chmod(folder, 0o755)
  process.env[variable] = folder
  // A warning in the C of the engine fails the tests, and no machine of a user whose compiler knows more of them.
  process.env.ATOLL_TEST_NATIVE_FLAGS ??= '-Werror'
  // A change of the code may change what is in it.
  project.onTestsRerun(() => empty(folder))
  // As `./atoll test` has it: programs and threads that tests start find their code compiled.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/atoll', import.meta.url))
  const removeMemoryFolder = await makeMemoryFolder()
  return async () => {
    await rm(folder, { recursive: true, force: true })
    await removeMemoryFolder()
  }
}

async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true })
}

/** The place of what `make` put together, in this process or in another one; undefined where nothing is shared. */
export async function shared(name: string, make: (place: string) => Promise<void>): Promise<string | undefined> {
  const folder = process.env[variable]
  if (folder === undefined || !existsSync(folder)) return undefined
  const place = join(folder, name)
  if (existsSync(place)) return place
  if (await isFirst(`${place}.lock`)) await makeAt(place, make)
  const giveUpAt = Date.now() + patienceMs
  while (!existsSync(place) && Date.now() < giveUpAt) await pause(50)
  return existsSync(place) ? place : undefined
}

async function makeAt(place: string, make: (place: string) => Promise<void>): Promise<void> {
  const fresh = `${place}.new`
  try {
    await rm(fresh, { recursive: true, force: true })
    await mkdir(fresh)
    await make(fresh)
    await rename(fresh, place)
  } catch (error) {
    await rmdir(`${place}.lock`)
    throw error
  }
}

async function isFirst(lock: string): Promise<boolean> {
  try {
    await mkdir(lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

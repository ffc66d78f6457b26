// Where servers of tests keep their data: in memory, where there is plenty. Killing a process loses no file there
// either, and no test cuts the power.
import { existsSync, statfsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const gibibyte = 1024 ** 3
const disk = '/dev/shm'
const minDiskBytes = 2 * gibibyte
const minMemoryBytes = 4 * gibibyte
const variable = 'ATOLL_TEST_DATA'
const folderName = /^atoll-data-(\d+)-/

/** For the whole run. Returns the way to remove it. */
export async function makeMemoryFolder(): Promise<() => Promise<void>> {
  if (!hasMemoryToSpare()) return async () => undefined
  await removeAbandoned()
  const folder = await mkdtemp(join(disk, `atoll-data-${process.pid}-`))
  // Servers that refuse to run as root have theirs in it.
  await chmod(folder, 0o755)
  process.env[variable] = folder
  return () => remove(folder)
}

export function dataParent(): string {
  const folder = process.env[variable]
  return folder !== undefined && existsSync(folder) && hasMemoryToSpare() ? folder : tmpdir()
}

function hasMemoryToSpare(): boolean {
  if (!existsSync(disk) || process.availableMemory() < minMemoryBytes) return false
  const { bavail, bsize } = statfsSync(disk)
  return bavail * bsize >= minDiskBytes
}

/** Memory that runs which were killed still hold. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(disk)) {
    const [, pid] = name.match(folderName) ?? []
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) await remove(join(disk, name))
  }
}

/** Servers may still be ending. */
const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 10 })

// A disk that can be filled in a moment: a file system of a few megabytes in memory.
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterFile } from './after-tests.ts'
import { tempDir } from './temp-dir.ts'

export interface SmallDisk {
  folder: string
  /** Until not a byte fits any more. */
  fill(): void
  free(): void
}

/** Where the machine allows it; undefined elsewhere. It goes with the test file. */
export async function smallDisk(megabytes: number): Promise<SmallDisk | undefined> {
  const folder = await tempDir()
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', folder])
  if (status !== 0) return undefined
  afterFile(() => void spawnSync('umount', ['--lazy', folder]))
  const ballast = join(folder, 'ballast')
  return { folder, fill: () => fill(ballast), free: () => rmSync(ballast, { force: true }) }
}

function fill(path: string): void {
  for (let bytes = 1024 * 1024; bytes >= 4096; bytes /= 4) {
    try {
      for (;;) writeFileSync(path, new Uint8Array(bytes), { flag: 'a' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
}

// Removes a folder with all that is in it. One that is a mount point stays, empty: data often has a disk of its own.
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error
    // It is one, or has one in it, which kept others from being removed.
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) await removeFolder(path)
      else await rm(path, { force: true })
    }
  }
}

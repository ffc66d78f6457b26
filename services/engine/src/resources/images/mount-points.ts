// Places that were made only to mount something on: they are no part of what a step has written.
import { lstat, rmdir, unlink } from 'node:fs/promises'
import { posix } from 'node:path'
import { findInLayers } from '../../runtime/oci/layered-files.ts'

/** Whatever of the path is new and empty goes. `below`: the layers under `upper`, from the top down. */
export async function removeMountPoint(upper: string, below: readonly string[], path: string): Promise<void> {
  for (let place = path; place !== '/'; place = posix.dirname(place)) {
    if ((await findInLayers(below, place)) !== undefined) return
    // By where it really is: the step may have put a link in its way.
    const found = await findInLayers([upper], place)
    if (found === undefined) continue
    try {
      if (found.kind === 'folder') await rmdir(found.folders[0] ?? '')
      else if ((await lstat(found.file)).size === 0) await unlink(found.file)
    } catch {
      // It is not empty: the step has written there.
      return
    }
  }
}

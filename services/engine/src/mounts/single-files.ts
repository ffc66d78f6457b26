// Mounts of single files, sockets and devices.
import { stat } from 'node:fs/promises'
import type { MountPoint } from '../resources/containers/record.ts'

/**
 * Nothing can be mounted below a file, so read-only at the top is read-only all through. Asked to go below, crun opens
 * the file as a folder, and fails.
 */
export const withoutRecursion = (mounts: readonly MountPoint[]): Promise<MountPoint[]> =>
  Promise.all(mounts.map(async (mount) => ((await isSingle(mount)) ? flat(mount) : mount)))

async function isSingle({ Source, RW, options }: MountPoint): Promise<boolean> {
  // What a driver mounts is a folder, and may hang.
  if (RW || Source === '' || options?.within !== undefined) return false
  return stat(Source).then(
    (found) => !found.isDirectory(),
    () => false,
  )
}

const flat = (mount: MountPoint): MountPoint => ({
  ...mount,
  options: { ...mount.options, readOnlyNonRecursive: true, readOnlyForceRecursive: false },
})

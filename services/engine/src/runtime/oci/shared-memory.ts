// Shared memory that several containers see (IpcMode `shareable`): a folder of the host's own, since a mount of one
// container cannot be shown to another. It goes with the container that made it, also when the engine does not run.
import { chmod, lstat, mkdir } from 'node:fs/promises'
import { systemError } from '../../errors.ts'
import type { OciSpec } from '../runtime.ts'

const place = '/dev/shm'

export const sharedMemoryFolder = (containerId: string): string => `${place}/atoll-${containerId}`

/** Everybody on the host may write to the place: what stands there already has to be a folder of ours. */
export async function makeSharedMemory(containerId: string): Promise<string> {
  const folder = sharedMemoryFolder(containerId)
  await mkdir(folder).catch(async (error: NodeJS.ErrnoException) => {
    const found = error.code === 'EEXIST' ? await lstat(folder) : undefined
    if (found?.isDirectory() && found.uid === process.getuid?.()) return
    throw systemError(`the shared memory of the container cannot be made: ${folder}: ${error.code}`)
  })
  await chmod(folder, 0o1777)
  return folder
}

/** The runtime tells every hook the container's state: crun is ended by its writing where nobody reads that. */
const remove = 'cat > /dev/null; exec rm -rf "$1"'

/** The runtime runs it when it deletes the container. */
export const sharedMemoryHooks = (containerId: string): NonNullable<OciSpec['hooks']> => ({
  poststop: [{ path: '/bin/sh', args: ['sh', '-c', remove, 'sh', sharedMemoryFolder(containerId)], timeout: 30 }],
})

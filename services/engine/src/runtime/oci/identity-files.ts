// The users and groups a container's files know of.
import { constants as flags, open } from 'node:fs/promises'
import type { Rootfs } from '../runtime.ts'
import { readInLayers, readPlain } from './layered-files.ts'
import type { IdentityFiles } from './users.ts'

const maxBytes = 4_000_000

export async function readIdentityFiles({ upper, lower }: Rootfs): Promise<IdentityFiles> {
  const layers = [upper, ...lower]
  const [passwd, group] = await Promise.all([
    readInLayers(layers, '/etc/passwd', maxBytes),
    readInLayers(layers, '/etc/group', maxBytes),
  ])
  return { passwd: passwd ?? '', group: group ?? '' }
}

/**
 * Of a running container, as its own processes see them. Undefined where a link is in the way: it could lead out.
 * @param pid of its first process
 */
export async function readIdentityInside(pid: number): Promise<IdentityFiles | undefined> {
  const folder = await open(`/proc/${pid}/root/etc`, flags.O_DIRECTORY | flags.O_NOFOLLOW).catch(() => undefined)
  if (folder === undefined) return undefined
  try {
    const [passwd, group] = await Promise.all(
      ['passwd', 'group'].map((name) => readBelow(`/proc/self/fd/${folder.fd}/${name}`)),
    )
    return passwd === undefined || group === undefined ? undefined : { passwd, group }
  } finally {
    await folder.close()
  }
}

/** Empty: not there. */
async function readBelow(path: string): Promise<string | undefined> {
  const plain = flags.O_RDONLY | flags.O_NOFOLLOW | flags.O_NONBLOCK
  const handle = await open(path, plain).catch((error: NodeJS.ErrnoException) => error.code)
  if (handle === undefined || typeof handle === 'string') return handle === 'ENOENT' ? '' : undefined
  try {
    return await readPlain(handle, maxBytes)
  } finally {
    await handle.close()
  }
}

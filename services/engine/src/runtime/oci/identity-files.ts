// The users and groups a container's files know of.
import type { Rootfs } from '../runtime.ts'
import { readInLayers } from './layered-files.ts'
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

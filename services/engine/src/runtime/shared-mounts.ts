// Bind mounts that are shared with the host. The shim's namespace only follows the host's, so it takes the host's own
// mounts along for these (native/shim-shared.c); here they get the places where the runtime finds them.
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isShared } from '../mounts/propagation.ts'
import type { OciSpec } from './runtime.ts'

type SpecMount = OciSpec['mounts'][number]

interface SharedMounts {
  /** With the new places as sources. */
  mounts: SpecMount[]
  /** Of the host, in the order of the places. */
  sources: string[]
}

export async function shareMounts(mounts: readonly SpecMount[], bundle: string): Promise<SharedMounts> {
  const sources: string[] = []
  const placed: SpecMount[] = []
  for (const mount of mounts) {
    if (mount.options.some(isShared)) {
      const place = join(bundle, 'shared', String(sources.push(mount.source) - 1))
      await makePlace(place, mount.source)
      placed.push({ ...mount, source: place })
    } else placed.push(mount)
  }
  return { mounts: placed, sources }
}

/** Of the same kind as what will be mounted there. */
async function makePlace(place: string, source: string): Promise<void> {
  const isFolder = (await stat(source)).isDirectory()
  await mkdir(isFolder ? place : join(place, '..'), { recursive: true })
  if (!isFolder) await writeFile(place, '')
}

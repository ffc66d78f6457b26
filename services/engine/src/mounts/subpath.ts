// Folders inside volumes: found without leaving the volume, whatever links its users put there.
import { join } from 'node:path'
import { invalidParameter, systemError } from '../errors.ts'
import type { MountPoint } from '../resources/containers/record.ts'
import { findInLayers, LeadsOutside } from '../runtime/oci/layered-files.ts'
import { mountOf, readMounts } from './mount-table.ts'

/** Mounts with the real folder in place of volume and subpath. */
export const resolveSubpaths = (mounts: readonly MountPoint[]): Promise<MountPoint[]> =>
  Promise.all(mounts.map(resolveSubpath))

async function resolveSubpath(mount: MountPoint): Promise<MountPoint> {
  const { subpath } = mount.options ?? {}
  if (!subpath) return mount
  const refusal = (why: string) => invalidParameter(`cannot access path ${subpath} of volume ${mount.Name}: ${why}`)
  const found = await findInLayers([mount.Source], subpath, { isClosed: true }).catch((error: unknown) => {
    throw error instanceof LeadsOutside ? refusal('path concatenation escapes the base directory') : error
  })
  if (found === undefined) throw refusal('no such file or directory')
  return { ...mount, Source: join(mount.Source, found.path) }
}

/**
 * Between the look-up and the mount, a program with the same volume could have put a link in the way. A container that
 * is created and does not run yet tells what it really got: it is refused when that is no part of the volume.
 */
export async function verifySubpaths(pid: number, mounts: readonly MountPoint[]): Promise<void> {
  const asked = mounts.filter(({ options }) => options?.subpath)
  if (asked.length === 0) return
  const [inside, own] = await Promise.all([readMounts(pid), readMounts('self')])
  for (const { Destination, Source, Name } of asked) {
    const got = inside.findLast(({ place }) => place === Destination)
    const volume = mountOf(own, Source)
    const top =
      volume === undefined ? undefined : join(volume.root, Source.slice(volume.place === '/' ? 0 : volume.place.length))
    const isInside = got !== undefined && top !== undefined && (got.root === top || got.root.startsWith(`${top}/`))
    if (!isInside || got.device !== volume?.device) {
      throw systemError(`the folder for ${Destination} changed while it was mounted: it is no part of volume ${Name}`)
    }
  }
}

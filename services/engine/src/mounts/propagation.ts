// Whether what is mounted later on one side of a bind mount, the host's or the container's, is seen on the other.
import { realpath } from 'node:fs/promises'
import { systemError } from '../errors.ts'
import type { MountPoint } from '../resources/containers/record.ts'
import { type Mounted, mountOf, readMounts } from './mount-table.ts'

export const propagations: readonly string[] = ['private', 'rprivate', 'shared', 'rshared', 'slave', 'rslave']

export const isShared = (propagation: string): boolean => /^r?shared$/.test(propagation)
export const isSlave = (propagation: string): boolean => /^r?slave$/.test(propagation)

type Settled = Pick<MountPoint, 'Propagation' | 'options'>

const isWithin = (path: string, folder: string): boolean => folder === '/' || `${path}/`.startsWith(`${folder}/`)

/**
 * Of a bind mount. A container that held the engine's own mounts for itself would keep them from being taken away, so
 * where the engine's folder and the source lie within one another, its mounts must come and go as the host's do.
 */
export function settlePropagation(source: string, asked: string, engineFolder: string): Settled | string {
  const isOwn = isWithin(source, engineFolder) || isWithin(engineFolder, source)
  if (!isOwn) return { Propagation: asked || 'rprivate' }
  if (asked === '') return { Propagation: 'rslave', options: { impliedPropagation: true } }
  if (asked === 'rslave' || asked === 'rshared') return { Propagation: asked }
  return `invalid mount config: must use either propagation mode "rslave" or "rshared" when mount source is within the daemon root, daemon root: "${engineFolder}", bind mount source: "${source}", propagation: "${asked}"`
}

/** Before each start: what is asked for must be possible with the sources as they are mounted now. */
export async function checkPropagation(mounts: readonly MountPoint[]): Promise<MountPoint[]> {
  if (!mounts.some(({ Propagation }) => isShared(Propagation) || isSlave(Propagation))) return [...mounts]
  const table = await readMounts('self')
  return Promise.all(mounts.map((mount) => checkOne(mount, table)))
}

async function checkOne(mount: MountPoint, table: readonly Mounted[]): Promise<MountPoint> {
  const { Source, Propagation, options } = mount
  if (!isShared(Propagation) && !isSlave(Propagation)) return mount
  const found = mountOf(table, await realpath(Source))
  if (found?.isShared || (isSlave(Propagation) && found?.isSlave)) return mount
  if (options?.impliedPropagation) return { ...mount, Propagation: 'rprivate' }
  const wanted = isShared(Propagation) ? 'shared' : 'shared or slave'
  throw systemError(`path ${Source} is mounted on ${found?.place} but it is not a ${wanted} mount`)
}

/** Of the container's root, so that it lets pass what its mounts need. */
export function rootPropagation(mounts: readonly MountPoint[]): { rootfsPropagation?: string } {
  if (mounts.some(({ Propagation }) => isShared(Propagation))) return { rootfsPropagation: 'shared' }
  return mounts.some(({ Propagation }) => isSlave(Propagation)) ? { rootfsPropagation: 'rslave' } : {}
}

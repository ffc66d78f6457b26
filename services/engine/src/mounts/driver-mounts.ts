// Volumes that a driver mounts. What it gives is a path that links may lead anywhere from, in a file system that may
// hang: it is looked at by programs with a time limit, and what a container really got is checked before it runs.
import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '@atoll/kernel/telemetry/log'
import { systemError, unavailable } from '../errors.ts'
import type { MountPoint } from '../resources/containers/record.ts'
import type { Volumes } from '../resources/volumes/service.ts'
import { runProgram } from '../runtime/run-program.ts'
import { fillEmpty } from './image-content.ts'
import { mountOf, readMounts } from './mount-table.ts'

const lookSeconds = 10

export const isOfDriver = ({ Type, Driver = 'local' }: MountPoint): boolean => Type === 'volume' && Driver !== 'local'

/** The same after a restart of the engine, and another for each place of each container. */
const mountId = (containerId: string, { Destination }: MountPoint): string =>
  createHash('sha256').update(`${containerId} ${Destination}`).digest('hex')

export class DriverMounts {
  readonly #volumes: Volumes
  readonly #log: Log

  constructor(volumes: Volumes, log: Log) {
    this.#volumes = volumes
    this.#log = log
  }

  async mount(containerId: string, mount: MountPoint, imageFolders: readonly string[]): Promise<MountPoint> {
    const { Name = '', Destination, options } = mount
    const { source, within } = await this.#volumes.mount(Name, mountId(containerId, mount))
    try {
      const Source = await realPlace(Name, source, within)
      if (!options?.noCopy && !options?.subpath && (await isEmpty(Source))) {
        await fillEmpty(Source, imageFolders, Destination)
      }
      return { ...mount, Source, options: { ...options, within: await realpath(within) } }
    } catch (error) {
      this.unmount(containerId, mount)
      throw error
    }
  }

  /** In the background: a later mount of the same volume comes after it. */
  unmount(containerId: string, mount: MountPoint): void {
    const { Name = '' } = mount
    this.#volumes.unmount(Name, mountId(containerId, mount)).catch((error: Error) => {
      this.#log.warn({ container: containerId, volume: Name, reason: error.message }, 'A volume was not unmounted')
    })
  }
}

const isWithin = (path: string, folder: string): boolean =>
  folder === '/' || path === folder || path.startsWith(`${folder}/`)

async function realPlace(volume: string, source: string, within: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram('realpath', ['-e', '-z', '--', source], { seconds: lookSeconds })
  if (code === 124) throw unavailable(`volume ${volume}: ${source} cannot be looked at within ${lookSeconds} s`)
  if (code !== 0) throw systemError(`volume ${volume}: ${stderr.trim().slice(0, 500)}`)
  const found = stdout.replace(/\0$/, '')
  if (isWithin(found, await realpath(within))) return found
  throw systemError(`volume ${volume}: its driver's ${source} leads out of ${within}`)
}

async function isEmpty(folder: string): Promise<boolean> {
  const args = [folder, '-maxdepth', '0', '-type', 'd', '-empty', '-printf', 'x']
  const { stdout } = await runProgram('find', args, { seconds: lookSeconds })
  return stdout === 'x'
}

/** Between the look and the mount, the driver could have put a link in the way. */
export async function verifyDriven(pid: number, mounts: readonly MountPoint[]): Promise<void> {
  const driven = mounts.filter(({ options }) => options?.within !== undefined)
  if (driven.length === 0) return
  const [inside, own] = await Promise.all([readMounts(pid), readMounts('self')])
  for (const { Destination, Name, options } of driven) {
    const within = options?.within ?? ''
    const got = inside.findLast(({ place }) => place === Destination)
    const base = mountOf(own, within)
    const tops = [
      ...(base === undefined
        ? []
        : [{ device: base.device, root: join(base.root, within.slice(base.place === '/' ? 0 : base.place.length)) }]),
      ...own.filter(({ place }) => isWithin(place, within)),
    ]
    const isFine =
      got !== undefined && tops.some(({ device, root }) => device === got.device && isWithin(got.root, root))
    if (!isFine)
      throw systemError(`the folder for ${Destination} changed while it was mounted: it is not of volume ${Name}`)
  }
}

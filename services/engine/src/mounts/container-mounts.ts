// Mounts of containers over the host's folders and the engine's volumes.
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '@atoll/kernel/telemetry/log'
import { invalidParameter, invalidParameters } from '../errors.ts'
import type { EngineEvents } from '../events/engine-events.ts'
import type { MountPoint } from '../resources/containers/record.ts'
import type { ContainerConfig, HostConfig } from '../resources/containers/schema.ts'
import type { Volumes } from '../resources/volumes/service.ts'
import { findInLayers } from '../runtime/oci/layered-files.ts'
import { DriverMounts, isOfDriver, verifyDriven } from './driver-mounts.ts'
import { copyImageContent } from './image-content.ts'
import type { Mounts, ResolvedMounts } from './mounts.ts'
import { type MountsOf, type Plan, type PlannedMount, planMounts } from './plan.ts'
import { verifySubpaths } from './subpath.ts'

interface MountParts {
  volumes: Volumes
  events: EngineEvents
  log: Log
  /** Where the engine keeps its files. */
  folder: string
}

const noWays: ReadonlySet<string> = new Set()

export class ContainerMounts implements Mounts {
  readonly #volumes: Volumes
  readonly #events: EngineEvents
  readonly #folder: string
  readonly #driven: DriverMounts
  #mountsOf: MountsOf = () => undefined

  constructor({ volumes, events, folder, log }: MountParts) {
    this.#volumes = volumes
    this.#events = events
    this.#folder = folder
    this.#driven = new DriverMounts(volumes, log)
  }

  /** Containers come later than mounts: for VolumesFrom. */
  containersAre(mountsOf: MountsOf): void {
    this.#mountsOf = mountsOf
  }

  async check(config: ContainerConfig, hostConfig: HostConfig): Promise<string[]> {
    const { mounts, problems } = this.#plan(config, hostConfig, noWays)
    const further = await Promise.all(mounts.map((mount) => this.#checkPlanned(mount)))
    return [...problems, ...further.flat()]
  }

  #plan(config: ContainerConfig, hostConfig: HostConfig, ways: ReadonlySet<string>): Plan {
    return planMounts(config, hostConfig, { mountsOf: this.#mountsOf, ways, engineFolder: this.#folder })
  }

  async #checkPlanned({ point, volume, mustExist }: PlannedMount): Promise<string[]> {
    if (mustExist && !(await exists(point.Source))) {
      return [`invalid mount config for type "bind": bind source path does not exist: ${point.Source}`]
    }
    return volume === undefined ? [] : this.#volumes.problems(volume)
  }

  async resolve(
    containerId: string,
    config: ContainerConfig,
    hostConfig: HostConfig,
    ways = noWays,
  ): Promise<ResolvedMounts> {
    const { mounts, problems } = this.#plan(config, hostConfig, ways)
    if (problems.length > 0) throw invalidParameters(problems)
    const resolved: MountPoint[] = []
    const anonymousVolumes: string[] = []
    try {
      for (const { point, volume } of mounts) {
        if (volume === undefined) {
          if (point.Name) this.#volumes.hold(point.Name, containerId)
          resolved.push(point)
          continue
        }
        const made = await this.#volumes.use(volume, containerId)
        if (point.options?.anonymous) anonymousVolumes.push(made.name)
        const options = { ...point.options, ...(made.device === undefined ? {} : { device: made.device }) }
        resolved.push({ ...point, Name: made.name, Driver: made.driver, Source: made.mountpoint, options })
      }
    } catch (error) {
      await this.removeAnonymous(containerId, resolved)
      throw error
    }
    return { mounts: resolved, anonymousVolumes }
  }

  async prepare(
    containerId: string,
    mounts: readonly MountPoint[],
    imageFolders: readonly string[],
  ): Promise<MountPoint[]> {
    const prepared: MountPoint[] = []
    try {
      for (const mount of mounts) {
        if (mount.Type === 'bind') await prepareBind(mount)
        const isDriven = isOfDriver(mount)
        if (mount.Type === 'volume' && !isDriven) await this.#prepareVolume(mount, imageFolders)
        prepared.push(isDriven ? await this.#driven.mount(containerId, mount, imageFolders) : mount)
      }
    } catch (error) {
      this.release(containerId, prepared)
      throw error
    }
    return prepared
  }

  release(containerId: string, mounts: readonly MountPoint[]): void {
    for (const mount of mounts.filter(isOfDriver)) this.#driven.unmount(containerId, mount)
  }

  async #prepareVolume(mount: MountPoint, imageFolders: readonly string[]): Promise<void> {
    const { Name = '', Destination, options } = mount
    await this.#volumes.alone(Name, async (folder) => {
      await mkdir(join(folder, '_data'), { recursive: true })
      if (options?.noCopy || options?.device !== undefined) return
      const data = join(folder, '_data')
      // What is wrong with it is said when it is mounted.
      const inside = options?.subpath
        ? await findInLayers([data], options.subpath, { isClosed: true }).catch(() => undefined)
        : undefined
      if (options?.subpath && inside?.kind !== 'folder') return
      await copyImageContent(folder, imageFolders, Destination, inside?.path.slice(1))
    })
  }

  async verify(pid: number, mounts: readonly MountPoint[]): Promise<void> {
    await verifySubpaths(pid, mounts)
    await verifyDriven(pid, mounts)
  }

  announce(action: 'mount' | 'unmount', containerId: string, mounts: readonly MountPoint[]): void {
    for (const { Type, Name, Driver = 'local', Destination, RW, Propagation } of mounts) {
      if (Type !== 'volume' || !Name) continue
      const attributes = { container: containerId, driver: Driver }
      const further = { destination: Destination, 'read/write': String(RW), propagation: Propagation }
      this.#events.emit('volume', action, Name, action === 'mount' ? { ...attributes, ...further } : attributes)
    }
  }

  async removeAnonymous(containerId: string, mounts: readonly MountPoint[]): Promise<void> {
    this.#volumes.release(containerId)
    for (const { Name, options } of mounts) {
      if (Name && options?.anonymous) await this.#volumes.removeUnused(Name, containerId)
    }
  }

  removeAbandoned(containerId: string): Promise<void> {
    return this.#volumes.removeMadeFor(containerId)
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

async function prepareBind({ Source, options }: MountPoint): Promise<void> {
  if (await exists(Source)) return
  if (!options?.createMountpoint) {
    throw invalidParameter(`invalid mount config for type "bind": bind source path does not exist: ${Source}`)
  }
  await mkdir(Source, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw invalidParameter(`error while creating mount source path '${Source}': ${error.code ?? error.message}`)
  })
}

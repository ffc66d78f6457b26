// Volumes: folders that outlive containers. Memory is the working copy; the database is written first.
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import {
  conflict,
  invalidParameter,
  invalidParameters,
  noSuchVolume,
  notFound,
  notImplemented,
  unavailable,
} from '../../errors.ts'
import type { EngineEvents } from '../../events/engine-events.ts'
import { isVolumeName, volumeNameProblem } from '../../mounts/bind-syntax.ts'
import type { VolumeWanted } from '../../mounts/plan.ts'
import type { Filters } from '../query/schema.ts'
import { folderSize } from './folder-size.ts'
import { deviceOf, localDriver, optionProblems, type VolumeDevice } from './local-driver.ts'
import type { CreateVolume, VolumeObject, VolumesPruned } from './schema.ts'
import { allVolumes, deleteVolume, insertVolume } from './store.ts'
import { Turns } from './turns.ts'
import { anonymousLabel, listFilter, pruneFilter } from './volume-filters.ts'
import { VolumeUsers } from './volume-users.ts'

interface Volume {
  name: string
  driver: string
  createdAt: string
  labels: Readonly<Record<string, string>>
  options: Readonly<Record<string, string>>
  /** Of one without a name: the container that it was made for. */
  madeFor: string | null
}

interface UsableVolume {
  name: string
  driver: string
  mountpoint: string
  /** What is mounted in place of the folder. */
  device?: VolumeDevice
}

interface VolumeParts {
  db: Database
  clock: Clock
  ids: Pick<Ids, 'hex'>
  events: EngineEvents
  /** `<data>/engine` */
  folder: string
}

/** No volume is called so: names begin with a letter or a digit. */
const removedPrefix = '.removed-'
const unknownSize = -1

export class Volumes {
  readonly #parts: VolumeParts
  readonly #folder: string
  readonly #byName = new Map<string, Volume>()
  readonly #users: VolumeUsers
  readonly #turns = new Turns()
  /** Of a swarm; set once, before the first request. */
  isManager: () => boolean = () => false

  constructor(parts: VolumeParts) {
    this.#parts = parts
    this.#folder = join(parts.folder, 'volumes')
    this.#users = new VolumeUsers(() => parts.clock.now())
  }

  /** Before the first request. */
  async load(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o711 })
    for (const row of await allVolumes(this.#parts.db.queries)) {
      const { name, driver, created_at: createdAt } = row
      this.#byName.set(name, {
        name,
        driver,
        createdAt,
        labels: JSON.parse(row.labels),
        options: JSON.parse(row.options),
        madeFor: row.made_for,
      })
    }
    await this.#clearFolder()
  }

  /** What was being removed, and what was being made: a folder without a row that holds nothing. */
  async #clearFolder(): Promise<void> {
    for (const name of (await readdir(this.#folder)).filter((each) => !this.#byName.has(each))) {
      const folder = join(this.#folder, name)
      if (name.startsWith(removedPrefix)) await rm(folder, { recursive: true, force: true })
      else for (const empty of [join(folder, '_data'), folder]) await rmdir(empty).catch(() => {})
    }
  }

  /** How to find the containers that have a volume, by their ids. */
  usedBy(known: (name: string) => readonly string[]): void {
    this.#users.knownBy(known)
  }

  list(filters: Filters): VolumeObject[] {
    const isAsked = listFilter(filters)
    return this.#all()
      .filter((volume) => isAsked(this.#filtered(volume)))
      .map((volume) => this.#view(volume))
  }

  inspect(name: string): VolumeObject {
    return this.#view(this.#find(name))
  }

  async create(asked: CreateVolume): Promise<VolumeObject> {
    if (asked.ClusterVolumeSpec !== undefined) throw noCluster(this.isManager())
    const { Name: name, Driver, DriverOpts: options = {}, Labels: labels = {} } = asked
    const driver = Driver || localDriver
    return this.#view(await this.#make({ ...(name ? { name } : {}), driver, options, labels }))
  }

  /** Volumes of a cluster need a cluster (ENG-476, ENG-478). */
  updateClusterVolume(): never {
    throw noCluster(this.isManager())
  }

  async remove(name: string, force: boolean): Promise<void> {
    await this.#turns.take(name, async () => {
      const volume = this.#byName.get(name)
      if (volume === undefined && force) return
      const { name: found } = volume ?? this.#find(name)
      const users = await this.#users.settled(found)
      if (users.length > 0) throw conflict(`remove ${name}: volume is in use - [${users.join(', ')}]`)
      await this.#discard(found)
    })
  }

  async prune(filters: Filters): Promise<VolumesPruned> {
    const isAsked = pruneFilter(filters)
    const deleted: string[] = []
    let reclaimed = 0
    for (const volume of this.#all().filter((one) => isAsked(this.#filtered(one)))) {
      const bytes = await this.#turns.take(volume.name, () => this.#pruneOne(volume))
      if (bytes === undefined) continue
      deleted.push(volume.name)
      reclaimed += bytes
    }
    this.#parts.events.emit('volume', 'prune', '', { reclaimed: String(reclaimed) })
    return { VolumesDeleted: deleted, SpaceReclaimed: reclaimed }
  }

  /** Bytes it had; undefined: somebody uses it after all. */
  async #pruneOne({ name }: Volume): Promise<number | undefined> {
    if (!this.#byName.has(name) || (await this.#users.settled(name)).length > 0) return undefined
    const bytes = await folderSize(this.#mountpoint(name))
    await this.#discard(name)
    return bytes
  }

  /** With sizes and counts of users: for `GET /system/df`. */
  async usage(): Promise<VolumeObject[]> {
    const found: VolumeObject[] = []
    for (const volume of this.#all()) {
      const isFolder = deviceOf(volume.options) === undefined
      const Size = isFolder ? await folderSize(this.#mountpoint(volume.name)) : unknownSize
      found.push({ ...this.#view(volume), UsageData: { Size, RefCount: this.#users.of(volume.name).length } })
    }
    return found
  }

  /** What is wrong with a volume that a container asks for. */
  problems({ name, driver, options }: VolumeWanted): string[] {
    if (driver !== localDriver) return [unknownDriver(driver)]
    const existing = name === undefined ? undefined : this.#byName.get(name)
    return existing === undefined ? optionProblems(options) : []
  }

  /** Found, or made. It stays until the container is known or given up. */
  async use(wanted: VolumeWanted, containerId: string): Promise<UsableVolume> {
    const { name, driver, options } = await this.#make(wanted, containerId)
    const device = deviceOf(options)
    return { name, driver, mountpoint: this.#mountpoint(name), ...(device === undefined ? {} : { device }) }
  }

  hold(name: string, containerId: string): void {
    this.#users.hold(name, containerId)
  }

  release(containerId: string): void {
    this.#users.release(containerId)
  }

  /** Nobody else fills or removes it meanwhile. */
  alone<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
    return this.#turns.take(name, () => work(join(this.#folder, this.#find(name).name)))
  }

  /** Unless another container has it. */
  async removeUnused(name: string, byContainer: string): Promise<void> {
    await this.#turns.take(name, async () => {
      const others = this.#users.of(name).filter((id) => id !== byContainer)
      if (this.#byName.has(name) && others.length === 0) await this.#discard(name)
    })
  }

  /** The engine was killed before the container was known. */
  async removeMadeFor(containerId: string): Promise<void> {
    const abandoned = this.#all().filter(({ madeFor }) => madeFor === containerId)
    for (const { name } of abandoned) await this.removeUnused(name, containerId)
  }

  async #make(wanted: VolumeWanted, containerId?: string): Promise<Volume> {
    const { ids, clock, db, events } = this.#parts
    const name = wanted.name ?? ids.hex() + ids.hex()
    if (!isVolumeName(name)) throw invalidParameter(`create ${name}: ${volumeNameProblem(name)}`)
    if (wanted.driver !== localDriver) throw notFound(unknownDriver(wanted.driver))
    return await this.#turns.take(name, async () => {
      if (containerId !== undefined) this.#users.hold(name, containerId)
      const existing = this.#byName.get(name)
      if (existing !== undefined) return existing
      const problems = optionProblems(wanted.options)
      if (problems.length > 0) throw invalidParameters(problems)
      const volume: Volume = {
        name,
        driver: wanted.driver,
        createdAt: new Date(clock.now()).toISOString(),
        labels: wanted.name === undefined ? { ...wanted.labels, [anonymousLabel]: '' } : wanted.labels,
        options: wanted.options,
        madeFor: wanted.name === undefined ? (containerId ?? null) : null,
      }
      await mkdir(this.#mountpoint(name), { recursive: true, mode: 0o755 })
      await insertVolume(db.queries, rowOf(volume))
      this.#byName.set(name, volume)
      events.emit('volume', 'create', name, { driver: volume.driver })
      return volume
    })
  }

  /** Out of the way first: a volume of the same name made afterwards finds nothing of it. */
  async #discard(name: string): Promise<void> {
    const { ids, db, events } = this.#parts
    const driver = this.#byName.get(name)?.driver ?? localDriver
    const removed = join(this.#folder, `${removedPrefix}${ids.hex()}`)
    await rename(join(this.#folder, name), removed).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    await deleteVolume(db.queries, name)
    this.#byName.delete(name)
    await rm(removed, { recursive: true, force: true })
    events.emit('volume', 'destroy', name, { driver })
  }

  #find(name: string): Volume {
    const found = this.#byName.get(name)
    if (found === undefined) throw noSuchVolume(name)
    return found
  }

  #all(): Volume[] {
    return [...this.#byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
  }

  #mountpoint(name: string): string {
    return join(this.#folder, name, '_data')
  }

  #filtered(volume: Volume) {
    return { ...volume, isUsed: this.#users.of(volume.name).length > 0 }
  }

  #view({ name, driver, createdAt, labels, options }: Volume): VolumeObject {
    return {
      CreatedAt: createdAt,
      Driver: driver,
      Labels: { ...labels },
      Mountpoint: this.#mountpoint(name),
      Name: name,
      Options: { ...options },
      Scope: 'local',
    }
  }
}

const rowOf = ({ name, driver, createdAt, labels, options, madeFor }: Volume) => ({
  name,
  driver,
  created_at: createdAt,
  labels: JSON.stringify(labels),
  options: JSON.stringify(options),
  made_for: madeFor,
})

const unknownDriver = (driver: string): string =>
  `error looking up volume plugin ${driver}: plugin "${driver}" not found`

/** Of a machine that manages a swarm, and of all others. */
const noCluster = (isManager: boolean) =>
  isManager
    ? notImplemented(
        'Volumes of a cluster need a CSI plugin, and this engine has no plugins yet: use a volume of each node',
      )
    : unavailable(
        'This node is not a swarm manager: volumes of a cluster need one. Use "docker swarm init" or "docker swarm join" to connect this node to swarm and try again.',
      )

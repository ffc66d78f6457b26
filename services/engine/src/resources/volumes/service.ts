// Volumes: folders that outlive containers. Memory is the working copy; the database is written first.
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import { conflict, invalidParameter, invalidParameters, noSuchVolume } from '../../errors.ts'
import type { EngineEvents } from '../../events/engine-events.ts'
import { isVolumeName, volumeNameProblem } from '../../mounts/bind-syntax.ts'
import type { VolumeWanted } from '../../mounts/plan.ts'
import type { Filters } from '../query/schema.ts'
import type { ClusterSpec } from './cluster/schema.ts'
import { DriverVolumes, type ToldVolume, unknownDriver } from './driver-volumes.ts'
import { folderSize } from './folder-size.ts'
import { deviceOf, localDriver, optionProblems, type VolumeDevice } from './local-driver.ts'
import { noClusterVolumes } from './no-cluster.ts'
import type { ClusterVolumes, CreateVolume, VolumeObject, VolumesPruned } from './schema.ts'
import { allVolumes, deleteVolume, insertVolume } from './store.ts'
import { Turns } from './turns.ts'
import { type MountedVolume, noDrivers, type VolumeDrivers } from './volume-driver.ts'
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
  #driven = new DriverVolumes(noDrivers)
  /** Set once, before the first request. */
  ofSwarm: ClusterVolumes = noClusterVolumes

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

  /** Beside the built-in one; they come later than volumes. */
  driversAre(drivers: VolumeDrivers): void {
    this.#driven = new DriverVolumes(drivers)
  }

  /** Those of drivers too that were made elsewhere. */
  async list(filters: Filters): Promise<{ Volumes: VolumeObject[]; Warnings: string[] }> {
    const isAsked = listFilter(filters)
    const { volumes: told, warnings } = await this.#driven.all()
    const byName = new Map(told.map((each) => [each.name, each]))
    const foreign = told.filter(({ name }) => !this.#byName.has(name)).map(foreignVolume)
    const Volumes = [...this.#all(), ...foreign]
      .filter((volume) => isAsked(this.#filtered(volume)))
      .map((volume) => this.#view(volume, byName.get(volume.name)))
    const ofSwarm = this.ofSwarm.list().filter((volume) => isAsked(filteredObject(volume)))
    return { Volumes: [...Volumes, ...ofSwarm], Warnings: warnings }
  }

  async inspect(name: string): Promise<VolumeObject> {
    const volume = this.#byName.get(name)
    if (volume?.driver === localDriver) return this.#view(volume)
    const told =
      volume === undefined ? await this.#driven.search(name) : await this.#driven.describe(volume.driver, name)
    if (told !== undefined) return this.#view(volume ?? foreignVolume(told), told)
    if (this.#isOfSwarm(name)) return this.ofSwarm.inspect(name)
    throw noSuchVolume(name)
  }

  /** Of a driver, in its own words. */
  namesOf(driver: string): string[] {
    const own = this.#all().flatMap((volume) => (volume.driver === driver ? [volume.name] : []))
    return [...own, ...this.ofSwarm.ofDriver(driver)]
  }

  /** For a container, which `id` stands for. Mounting and unmounting one volume come one after the other. */
  mount(name: string, id: string): Promise<MountedVolume> {
    return this.#turns.take(name, () => this.#driven.mount(this.#find(name).driver, name, id))
  }

  unmount(name: string, id: string): Promise<void> {
    return this.#turns.take(name, () => this.#driven.unmount(this.#find(name).driver, name, id))
  }

  async create(asked: CreateVolume): Promise<VolumeObject> {
    if (asked.ClusterVolumeSpec !== undefined) return this.ofSwarm.create(asked)
    const { Name: name, Driver, DriverOpts: options = {}, Labels: labels = {} } = asked
    const volume = await this.#make({ ...(name ? { name } : {}), driver: Driver || localDriver, options, labels })
    return volume.driver === localDriver ? this.#view(volume) : this.inspect(volume.name)
  }

  /** ENG-476, ENG-478 */
  updateClusterVolume(name: string, version: number, spec: ClusterSpec | undefined): Promise<void> {
    return this.ofSwarm.update(name, version, spec)
  }

  /** Volumes of this machine come first; managers have those of their swarm besides. */
  #isOfSwarm(name: string): boolean {
    return this.ofSwarm.list().some((volume) => volume.Name === name || volume.ClusterVolume?.ID.startsWith(name))
  }

  async remove(name: string, force: boolean): Promise<void> {
    await this.#turns.take(name, async () => {
      if (!this.#byName.has(name)) return this.#removeForeign(name, force)
      const { name: found, driver } = this.#find(name)
      if (!force && driver !== localDriver) this.#driven.get(driver)
      const users = await this.#users.settled(found)
      if (users.length > 0) throw conflict(`remove ${name}: volume is in use - [${users.join(', ')}]`)
      await this.#discard(found)
    })
  }

  /** One that a driver has and this engine did not make. */
  async #removeForeign(name: string, force: boolean): Promise<void> {
    const told = await this.#driven.search(name)
    if (told !== undefined) return this.#driven.get(told.driver).remove(name)
    if (this.#isOfSwarm(name)) return this.ofSwarm.remove(name, force)
    if (!force) throw noSuchVolume(name)
  }

  async prune(filters: Filters): Promise<VolumesPruned> {
    const isAsked = pruneFilter(filters)
    const deleted: string[] = []
    let reclaimed = 0
    for (const volume of this.#all().filter((one) => one.driver === localDriver && isAsked(this.#filtered(one)))) {
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
      const isFolder = volume.driver === localDriver && deviceOf(volume.options) === undefined
      const Size = isFolder ? await folderSize(this.#mountpoint(volume.name)) : unknownSize
      found.push({ ...this.#view(volume), UsageData: { Size, RefCount: this.#users.of(volume.name).length } })
    }
    const ofSwarm = this.ofSwarm.list().map((volume) => ({
      ...volume,
      UsageData: { Size: unknownSize, RefCount: volume.ClusterVolume?.PublishStatus?.length ?? 0 },
    }))
    return [...found, ...ofSwarm]
  }

  /** What is wrong with a volume that a container asks for. */
  problems({ name, driver, options }: VolumeWanted): string[] {
    const found = driver === localDriver ? undefined : this.#driven.find(driver)
    if (driver !== localDriver && found === undefined) return [unknownDriver(driver)]
    const existing = name === undefined ? undefined : this.#byName.get(name)
    if (existing !== undefined) return otherDriver(existing, found?.name ?? driver)
    return found === undefined ? optionProblems(options) : []
  }

  /** Found, or made. It stays until the container is known or given up. */
  async use(wanted: VolumeWanted, containerId: string): Promise<UsableVolume> {
    const { name, driver, options } = await this.#make(wanted, containerId)
    // One of a driver gets its place when it is mounted.
    if (driver !== localDriver) return { name, driver, mountpoint: '' }
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
    const driver = wanted.driver === localDriver ? undefined : this.#driven.get(wanted.driver)
    return await this.#turns.take(name, async () => {
      if (containerId !== undefined) this.#users.hold(name, containerId)
      const existing = this.#byName.get(name)
      if (existing !== undefined) {
        const [problem] = otherDriver(existing, driver?.name ?? localDriver)
        if (problem !== undefined) throw conflict(problem)
        return existing
      }
      const problems = driver === undefined ? optionProblems(wanted.options) : []
      if (problems.length > 0) throw invalidParameters(problems)
      const volume: Volume = {
        name,
        driver: driver?.name ?? localDriver,
        createdAt: new Date(clock.now()).toISOString(),
        labels: wanted.name === undefined ? { ...wanted.labels, [anonymousLabel]: '' } : wanted.labels,
        options: wanted.options,
        madeFor: wanted.name === undefined ? (containerId ?? null) : null,
      }
      if (driver === undefined) await mkdir(this.#mountpoint(name), { recursive: true, mode: 0o755 })
      else await driver.create(name, wanted.options)
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
    // By force also when its driver is gone.
    if (driver !== localDriver) await this.#driven.find(driver)?.remove(name)
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

  #view({ name, driver, createdAt, labels, options }: Volume, told?: ToldVolume): VolumeObject {
    return {
      CreatedAt: createdAt,
      Driver: driver,
      Labels: { ...labels },
      Mountpoint: driver === localDriver ? this.#mountpoint(name) : (told?.mountpoint ?? ''),
      Name: name,
      Options: { ...options },
      Scope: told?.scope ?? 'local',
      ...(told?.status === undefined ? {} : { Status: told.status }),
    }
  }
}

const filteredObject = ({ Name: name, Driver: driver, Labels: labels, ClusterVolume }: VolumeObject) => ({
  ...{ name, driver, labels, isUsed: ClusterVolume?.PublishStatus !== undefined },
})

const foreignVolume = ({ name, driver, createdAt }: ToldVolume): Volume => ({
  ...{ name, driver, createdAt, labels: {}, options: {}, madeFor: null },
})

/** Who names no driver means the volume, whoever made it. */
const otherDriver = ({ name, driver }: Volume, wanted: string): string[] =>
  wanted === localDriver || wanted === driver
    ? []
    : [`a volume named ${name} exists already, of driver ${driver}: volume names must be unique`]

const rowOf = ({ name, driver, createdAt, labels, options, madeFor }: Volume) => ({
  name,
  driver,
  created_at: createdAt,
  labels: JSON.stringify(labels),
  options: JSON.stringify(options),
  made_for: madeFor,
})

// Containers: what callers can do with them, and what other parts of the engine ask of them.
import { conflict, invalidParameter } from '../../errors.ts'
import type { ImageUser } from '../../images/images.ts'
import { ContainerQueue } from '../../network/container-queue.ts'
import { askedEndpoint } from '../../network/endpoint-grant.ts'
import type { NetworkedContainer, NetworkUsers } from '../../network/networking.ts'
import type { Filters } from '../query/schema.ts'
import { type Container, isUp } from './container.ts'
import { type CreateOptions, createContainer } from './create.ts'
import { seconds, within } from './deadline.ts'
import { atRest, networked } from './endpoints.ts'
import { etcFilesOf, followNetworks } from './etc-files.ts'
import { imagesFrom } from './image-ancestors.ts'
import { inspection } from './inspect.ts'
import { linkedContainers, linkVariables, refuseRestingLinks } from './links.ts'
import { ContainerList, type ListOptions } from './list.ts'
import { isLogReadable, logPath } from './log-config.ts'
import { readName } from './names.ts'
import { holdStill, pause, unpause } from './pause.ts'
import { readPlatform } from './platform.ts'
import type { ContainerHooks, ContainerPorts } from './ports.ts'
import { type Pruned, prune } from './prune.ts'
import type { ContainerRecord } from './record.ts'
import { type RemoveOptions, remove, removeInBackground } from './remove.ts'
import { removeLink } from './remove-link.ts'
import { Restarts } from './restarts.ts'
import { restore } from './restore.ts'
import type { CreateContainer, EndpointSettings, HostConfig, UpdateContainer } from './schema.ts'
import { launch, StartFailure } from './start.ts'
import { applyStartBody } from './start-body.ts'
import { kill, type StopOptions, stop } from './stop.ts'
import type { Summary } from './summary.ts'
import { update } from './update.ts'
import { readCondition, type WaitCondition, waitFor } from './wait.ts'
import type { WaitResult } from './waiters.ts'
import { World } from './world.ts'

const sizeDeadline = seconds(60)

type Inspection = ReturnType<typeof inspection>

export class Containers implements NetworkUsers {
  readonly #world: World
  readonly #list: ContainerList
  /** Of a container that changes networks: one change after the other. */
  readonly #files = new ContainerQueue()
  readonly #restarts = new Restarts()
  readonly #inspections = new WeakMap<ContainerRecord, { execIds: string; value: Inspection }>()

  constructor(ports: ContainerPorts) {
    this.#world = new World(ports)
    this.#list = new ContainerList(this.#world, {
      find: (asked) => this.#container(asked),
      imagesFrom: (reference) => imagesFrom(ports.images, reference, this.all()),
    })
    ports.images.usedBy((imageId) => this.usersOf(imageId))
  }

  /** Other parts that have a say in what happens; set once, before the first request. */
  set hooks(hooks: ContainerHooks) {
    this.#world.hooks = hooks
  }

  #container(asked: string): Container {
    return this.#world.registry.get(asked)
  }

  /** Once, before anything is asked of it. */
  restore(): Promise<void> {
    return restore(this.#world)
  }

  /** The engine goes down; containers go on. */
  close(): void {
    this.#world.isClosed = true
    for (const container of this.#world.registry.all) {
      container.cancelRestart()
      container.stopHealthChecks?.()
    }
  }

  async create(
    asked: CreateContainer,
    { platform, ...options }: Omit<CreateOptions, 'platform'> & { platform?: string | undefined },
  ): Promise<{ Id: string; Warnings: string[] }> {
    const wanted = readPlatform(platform, this.#world.ports.images.hostPlatform)
    const { container, warnings } = await createContainer(this.#world, asked, { ...options, platform: wanted })
    return { Id: container.id, Warnings: warnings }
  }

  list(options: ListOptions): Promise<readonly Summary[]> {
    return this.#list.list(options)
  }

  async inspect(asked: string, { size }: { size: boolean }): Promise<Inspection> {
    const { record, id } = this.#container(asked)
    const execIds = this.#world.hooks.execIds(id)
    const key = execIds.join(' ')
    const known = this.#inspections.get(record)
    if (!size && known?.execIds === key) return known.value
    const surroundings = { folder: this.#world.folderOf(id), files: etcFilesOf(this.#world, record), execIds }
    if (size) {
      const { images } = this.#world.ports
      const sizes = await within(sizeDeadline, 'the size', images.rootfsSize(id, record.imageId))
      return inspection(record, { ...surroundings, size: sizes })
    }
    const value = Object.freeze(inspection(record, surroundings))
    this.#inspections.set(record, { execIds: key, value })
    return value
  }

  /** False: it runs already. `body` is what callers before 1.24 may send. */
  async start(asked: string, body?: HostConfig, detachKeys?: readonly number[]): Promise<boolean> {
    const container = this.#container(asked)
    try {
      return await container.exclusively(async () => {
        if (container.state.status === 'running') return false
        if (body !== undefined) await applyStartBody(this.#world, container, body)
        refuseRestingLinks(this.#world, container.record)
        container.restartDelayMs = 0
        await launch(this.#world, container, detachKeys)
        return true
      })
    } catch (error) {
      throw this.#afterFailure(container, error)
    }
  }

  /** False: it was at rest already. */
  async stop(asked: string, options: StopOptions): Promise<boolean> {
    const container = this.#container(asked)
    return container.exclusively(() => stop(this.#world, container, options))
  }

  async restart(asked: string, options: StopOptions): Promise<void> {
    const container = this.#container(asked)
    await this.#restarts.track(container.id, this.#restart(container, options))
  }

  /** Settles when a restart that is under way is over. */
  restarting(id: string): Promise<void> | undefined {
    return this.#restarts.of(id)
  }

  async #restart(container: Container, options: StopOptions): Promise<void> {
    try {
      await container.exclusively(async () => {
        container.isRestarting = true
        await stop(this.#world, container, options).finally(() => {
          container.isRestarting = false
        })
        await launch(this.#world, container)
        this.#world.emit(container.record, 'restart')
      })
    } catch (error) {
      throw this.#afterFailure(container, error)
    }
  }

  #afterFailure(container: Container, error: unknown): unknown {
    if (!(error instanceof StartFailure)) return error
    if (container.record.hostConfig.AutoRemove === true) removeInBackground(this.#world, container)
    return error.answer
  }

  async kill(asked: string, signal: string): Promise<void> {
    await kill(this.#world, this.#container(asked), signal)
  }

  async pause(asked: string): Promise<void> {
    const container = this.#container(asked)
    await container.exclusively(() => pause(this.#world, container))
  }

  async unpause(asked: string): Promise<void> {
    const container = this.#container(asked)
    await container.exclusively(() => unpause(this.#world, container))
  }

  /** One that has ended, or that its owner has paused, stands still by itself. */
  async whileStill<T>(asked: string, work: () => Promise<T>): Promise<T> {
    const container = this.#container(asked)
    const isHeld = await container.exclusively(() => holdStill(this.#world, container))
    try {
      return await work()
    } finally {
      if (isHeld) {
        await container.exclusively(async () => {
          if (container.state.status === 'paused') await unpause(this.#world, container)
        })
      }
    }
  }

  /** The container and the condition are checked at once; `result` comes when it comes. */
  wait(asked: string, condition: string | undefined, signal?: AbortSignal): { result: Promise<WaitResult> } {
    const read: WaitCondition = readCondition(condition)
    return { result: waitFor(this.#container(asked), read, signal) }
  }

  async ended({ id, state }: ContainerRecord): Promise<void> {
    const container = this.#container(id)
    if (container.state.pid === state.pid) await waitFor(container, 'not-running')
  }

  async rename(asked: string, newName: string): Promise<void> {
    if (newName === '') throw invalidParameter('Neither old nor new names may be empty')
    const container = this.#container(asked)
    const name = readName(newName)
    await container.exclusively(async () => {
      const before = container.record.name
      if (before === name) throw invalidParameter('Renaming a container with the same name as its current name')
      if (container.isRemoving) throw conflict('container is marked for removal and cannot be renamed')
      const { registry } = this.#world
      registry.reserve(name, container.id)
      try {
        await container.change((record) => ({ ...record, name }))
      } catch (error) {
        registry.release(name, container.id)
        throw error
      }
      registry.release(before, container.id)
      const endpoints = this.#world.ports.networking.renamed(container.id, name)
      if (Object.keys(endpoints).length > 0) {
        await container.change((record) => ({ ...record, endpoints: { ...record.endpoints, ...endpoints } }))
      }
      this.#world.emit(container.record, 'rename', { oldName: `/${before}` })
    })
  }

  /** `isQuiet`: before 1.25 a removal that is under way already was none to complain about. */
  async remove(asked: string, options: RemoveOptions & { link: boolean; isQuiet: boolean }): Promise<void> {
    if (options.link) return removeLink(this.#world, asked)
    const container = this.#container(asked)
    if (options.isQuiet && container.isRemoving) return
    await remove(this.#world, container, options)
  }

  async update(asked: string, changes: UpdateContainer, ways: ReadonlySet<string>): Promise<{ Warnings: string[] }> {
    const container = this.#container(asked)
    return { Warnings: await container.exclusively(() => update(this.#world, container, changes, ways)) }
  }

  prune(filters: Filters): Promise<Pruned> {
    return prune(this.#world, filters)
  }

  // What other parts ask.

  /** Throws noSuchContainer. */
  get(asked: string): ContainerRecord {
    return this.#container(asked).record
  }

  all(): ContainerRecord[] {
    return this.#world.registry.all.map(({ record }) => record)
  }

  emit(record: ContainerRecord, action: string, attributes?: Record<string, string>): void {
    this.#world.emit(record, action, attributes)
  }

  folderOf(id: string): string {
    return this.#world.folderOf(id)
  }

  /** Undefined: its log driver keeps none. */
  logPathOf({ id, hostConfig }: ContainerRecord): string | undefined {
    return isLogReadable(hostConfig.LogConfig) ? logPath(this.#world.folderOf(id)) : undefined
  }

  /** What joins a container finds the variables of its links as well. */
  withLinks<T extends { env?: readonly string[] }>(record: ContainerRecord, request: T): T {
    const variables = linkVariables(record, linkedContainers(this.#world, record))
    return variables.length === 0 ? request : { ...request, env: [...variables, ...(request.env ?? [])] }
  }

  /** Containers made from an image. */
  usersOf(imageId: string): ImageUser[] {
    return this.all()
      .filter((record) => record.imageId === imageId)
      .map(({ id, state }) => ({ containerId: id, isRunning: isUp(state) }))
  }

  find(asked: string): ReturnType<NetworkUsers['find']> {
    const found = this.#world.registry.find(asked)
    if (found === undefined) return undefined
    const { pid } = found.state
    const { name, hostConfig } = found.record
    return { id: found.id, name, running: pid > 0, pid, networkMode: hostConfig.NetworkMode ?? '' }
  }

  containersOn(network: string) {
    return this.all().flatMap(({ id, name, state, endpoints }) => {
      const endpoint = endpoints[network]
      return endpoint === undefined ? [] : [{ id, name, running: state.pid > 0, endpoint }]
    })
  }

  networked(containerId: string): NetworkedContainer {
    const { record } = this.#container(containerId)
    return networked(record, record.state.pid)
  }

  async setEndpoint(containerId: string, network: string, endpoint: EndpointSettings | undefined): Promise<void> {
    const put = (endpoints: Record<string, EndpointSettings>, value: EndpointSettings | undefined) => {
      const { [network]: _, ...others } = endpoints
      return value === undefined ? others : { ...others, [network]: value }
    }
    const container = this.#container(containerId)
    const before = container.record
    await container.change((record) => ({
      ...record,
      endpoints: put(record.endpoints, endpoint),
      askedEndpoints: put(
        record.askedEndpoints ?? record.endpoints,
        endpoint === undefined ? undefined : atRest(askedEndpoint(endpoint), endpoint),
      ),
    }))
    if (container.state.pid === 0) return
    await this.#files
      .run(containerId, () => followNetworks(this.#world, before, container.record))
      .catch((error: unknown) => this.#world.warn(container, error, 'The name servers of a container are out of date'))
  }
}

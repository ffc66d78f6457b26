// One task on this machine, from its assignment to its end. What is to be done follows from the task and from its
// container, so it can be begun anywhere, also by an engine that was killed meanwhile.
import { HttpError } from '@atoll/kernel/http/error'
import type { ImageRegistry } from '../../images/image-registry.ts'
import type { Images } from '../../images/images.ts'
import { parseReference } from '../../images/reference.ts'
import { readRegistryAuth } from '../../images/registry/auth-header.ts'
import type { ContainerRecord } from '../../resources/containers/record.ts'
import type { Mount } from '../../resources/containers/schema.ts'
import type { Containers } from '../../resources/containers/service.ts'
import type { ContainerSpec } from '../../resources/services/schema.ts'
import type { TaskStatus } from '../../resources/tasks/schema.ts'
import { isOver, isWanted, rank } from '../manager/task-states.ts'
import { clusterMounts } from '../volumes/volume-uses.ts'
import type { Assignment, Dispatcher } from './dispatcher.ts'
import { containerName, containerOf, graceSeconds, type TaskNetworks, templateValues } from './task-container.ts'
import type { TaskFiles } from './task-files.ts'

export interface TaskParts {
  dispatcher: Dispatcher
  containers: Containers
  images: Pick<Images, 'find'>
  registry: Pick<ImageRegistry, 'pull'>
  files: TaskFiles
  networksOf(assignment: Assignment): TaskNetworks
  /** Resolves when a network of the swarm is on this machine. */
  hasNetwork(id: string): Promise<void>
  /** Where a volume of the cluster is on this machine, once it is. */
  volumePath(id: string, signal: AbortSignal): Promise<string>
  /** Told when the health of a container changes. */
  onHealth(containerId: string, changed: () => void): () => void
}

const noWays: ReadonlySet<string> = new Set()
const upStates = ['running', 'paused', 'restarting']

export class TaskRun {
  readonly #id: string
  readonly #parts: TaskParts
  readonly #again: () => void
  /** What takes long, until it may start. */
  #preparing: AbortController | undefined
  #watched: string | undefined
  #stopWatching: () => void = () => {}

  /** `again`: somebody is to call `advance` once more. */
  constructor(id: string, parts: TaskParts, again: () => void) {
    this.#id = id
    this.#parts = parts
    this.#again = again
  }

  /** It may no longer be wanted: what takes long is broken off. */
  changed(): void {
    const assignment = this.#parts.dispatcher.assignment(this.#id)
    if (assignment === undefined || !isWanted(assignment.task)) this.#preparing?.abort()
  }

  /** The engine ends; the container goes on. */
  leave(): void {
    this.#preparing?.abort()
    this.#stopWatching()
  }

  /** One after the other. True: nothing is left of it. */
  async advance(): Promise<boolean> {
    const assignment = this.#parts.dispatcher.assignment(this.#id)
    if (assignment === undefined) {
      await this.#remove()
      return true
    }
    const { task } = assignment
    if (isOver(task)) return false
    if (!isWanted(task)) await this.#shutDown(assignment)
    else if (rank(task.Status.State) < rank('ready')) await this.#prepare(assignment)
    else if (rank(task.Status.State) < rank('running')) await this.#start(assignment)
    else await this.#look()
    return false
  }

  get #container(): ContainerRecord | undefined {
    return this.#parts.containers.all().find(({ taskId }) => taskId === this.#id)
  }

  async #prepare(assignment: Assignment): Promise<void> {
    const { dispatcher, containers, files, networksOf, hasNetwork } = this.#parts
    const spec = assignment.task.Spec.ContainerSpec
    this.#preparing = new AbortController()
    const { signal } = this.#preparing
    try {
      await dispatcher.report(this.#id, { State: 'preparing', Message: 'preparing' })
      if (spec === undefined) throw new Error('only tasks that are containers can run: plugins are not supported')
      await this.#findImage(spec, assignment.registryAuth, signal)
      for (const { isOfSwarm, target } of assignment.networks) if (isOfSwarm) await hasNetwork(target)
      const volumes = await this.#volumes(assignment, signal)
      const mounts = [...(await files.write(assignment, spec, templateValues(assignment))), ...volumes]
      if (this.#container === undefined) {
        const asked = containerOf(assignment, mounts, networksOf(assignment))
        await containers.create(asked, { name: containerName(assignment), ways: noWays, taskId: this.#id })
      }
      await dispatcher.report(this.#id, { State: 'ready', Message: 'prepared', ...this.#containerStatus() })
    } catch (error) {
      if (signal.aborted) return this.#again()
      await dispatcher.report(this.#id, { State: 'rejected', Message: 'preparing', Err: wordsOf(error) })
    } finally {
      this.#preparing = undefined
    }
  }

  /** Volumes of the cluster are brought here, and mounted as the folders that they are. */
  async #volumes({ task }: Assignment, signal: AbortSignal): Promise<Mount[]> {
    const mounts: Mount[] = []
    for (const { Target, Source, ReadOnly } of clusterMounts(task)) {
      const volume = task.volumes?.find((each) => each.Target === Target)
      if (volume === undefined) throw new Error(`no volume of the cluster is free for ${Source} on this node`)
      mounts.push({ Type: 'bind', Source: await this.#parts.volumePath(volume.ID, signal), Target, ReadOnly } as Mount)
    }
    return mounts
  }

  /** What is here already is as good: images are told apart by their digests where that matters. */
  async #findImage({ Image = '' }: ContainerSpec, header: string | undefined, signal: AbortSignal): Promise<void> {
    const { images, registry } = this.#parts
    if ((await images.find(Image)) !== undefined) return
    const auth = header === undefined ? undefined : readRegistryAuth({ 'x-registry-auth': header }, Image)
    const { digest, tag } = parseReference(Image)
    const messages = registry.pull(Image, {
      ...(digest === undefined && tag === undefined ? { tag: 'latest' } : {}),
      ...(auth === undefined ? {} : { auth }),
      signal,
    })
    for await (const { error } of messages) if (error !== undefined) throw new Error(error)
  }

  async #start(assignment: Assignment): Promise<void> {
    const { dispatcher, containers, files } = this.#parts
    const { task } = assignment
    const container = this.#container
    if (container === undefined) {
      return dispatcher.report(this.#id, { State: 'failed', Message: 'starting', Err: 'its container is gone' })
    }
    if (task.DesiredState === 'ready') return
    const isFresh = container.state.status === 'created'
    try {
      await dispatcher.report(this.#id, { State: 'starting', Message: 'starting', ...this.#containerStatus() })
      // Those that were written before may have gone with an engine that ended.
      if (isFresh && task.Spec.ContainerSpec !== undefined) {
        await this.#volumesAgain(assignment)
        await files.write(assignment, task.Spec.ContainerSpec, templateValues(assignment))
      }
      if (isFresh) await containers.start(container.id)
    } catch (error) {
      return dispatcher.report(this.#id, { State: 'failed', Message: 'starting', Err: wordsOf(error) })
    }
    await this.#look()
  }

  /** What was mounted is gone where the machine was started again. */
  async #volumesAgain(assignment: Assignment): Promise<void> {
    this.#preparing = new AbortController()
    await this.#volumes(assignment, this.#preparing.signal).finally(() => {
      this.#preparing = undefined
    })
  }

  /** At its container: is it healthy, has it ended? */
  async #look(): Promise<void> {
    const { dispatcher } = this.#parts
    const container = this.#container
    if (container === undefined) {
      return dispatcher.report(this.#id, { State: 'failed', Message: 'started', Err: 'its container is gone' })
    }
    const { status, exitCode, health, error } = container.state
    if (!upStates.includes(status)) {
      if (exitCode === 0 && error === '') {
        return dispatcher.report(this.#id, { State: 'complete', Message: 'finished', ...this.#containerStatus() })
      }
      const Err = error === '' ? `task: non-zero exit (${exitCode})` : error
      return dispatcher.report(this.#id, { State: 'failed', Message: 'started', Err, ...this.#containerStatus() })
    }
    this.#watch(container.id)
    if (health?.Status === 'starting') return
    if (health?.Status === 'unhealthy') return this.#endUnhealthy(container.id)
    await dispatcher.report(this.#id, {
      State: 'running',
      Message: 'started',
      ...this.#containerStatus(),
      ...this.#ports(),
    })
  }

  async #endUnhealthy(containerId: string): Promise<void> {
    const { containers, dispatcher } = this.#parts
    await containers.stop(containerId, {})
    const Err = 'task: unhealthy container'
    await dispatcher.report(this.#id, { State: 'failed', Message: 'started', Err, ...this.#containerStatus() })
  }

  async #shutDown({ task }: Assignment): Promise<void> {
    const { containers, dispatcher } = this.#parts
    const container = this.#container
    if (container !== undefined && upStates.includes(container.state.status)) {
      await containers.stop(container.id, { timeout: graceSeconds(task.Spec.ContainerSpec ?? ({} as ContainerSpec)) })
    }
    await dispatcher.report(this.#id, { State: 'shutdown', Message: 'shutdown', ...this.#containerStatus() })
  }

  async #remove(): Promise<void> {
    const { containers, files } = this.#parts
    this.#stopWatching()
    const container = this.#container
    if (container !== undefined) {
      await containers.remove(container.id, { force: true, volumes: true, link: false, isQuiet: true })
    }
    await files.remove(this.#id)
  }

  #watch(containerId: string): void {
    if (this.#watched === containerId) return
    this.#watched = containerId
    const giveUp = new AbortController()
    const { result } = this.#parts.containers.wait(containerId, 'not-running', giveUp.signal)
    result.then(this.#again, () => {})
    const stopHealth = this.#parts.onHealth(containerId, this.#again)
    this.#stopWatching = () => {
      giveUp.abort()
      stopHealth()
    }
  }

  #containerStatus(): Pick<TaskStatus, 'ContainerStatus'> {
    const container = this.#container
    if (container === undefined) return {}
    const { pid, exitCode } = container.state
    return { ContainerStatus: { ContainerID: container.id, PID: pid, ExitCode: exitCode } }
  }

  /** What the host gave where nothing particular was asked for. */
  #ports(): Pick<TaskStatus, 'PortStatus'> | Record<string, never> {
    const asked = this.#parts.dispatcher.assignment(this.#id)?.task.hostPorts ?? []
    if (asked.length === 0) return {}
    const given = this.#container?.ports ?? {}
    const Ports = asked.map((port) => {
      const [binding] = given[`${port.TargetPort ?? 0}/${port.Protocol || 'tcp'}`] ?? []
      return { ...port, PublishedPort: Number(binding?.HostPort ?? port.PublishedPort ?? 0) }
    })
    return { PortStatus: { Ports } }
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof HttpError || error instanceof Error) return error.message
  return String(error)
}

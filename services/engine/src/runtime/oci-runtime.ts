// The `Runtime` of the engine: one shim for each container and exec, over crun or runc.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { conflict, systemError } from '../errors.ts'
import { attachTo } from './attach-client.ts'
import { usageOf } from './cgroup-usage.ts'
import { findCgroup, freeCpu, freeProcesses, isPaused, processesOf, removeCgroups, setFrozen, thaw } from './cgroups.ts'
import { cgroupsPathOf, removeFiles, type ShimPlace, writeContainer } from './container-files.ts'
import { withDeadline } from './deadline.ts'
import { Execs } from './execs.ts'
import { startFailure } from './failure-words.ts'
import { FollowedProcess } from './followed-process.ts'
import { checked, readExit, readSetting, writeExit } from './run-folder.ts'
import type * as Port from './runtime.ts'
import type { RuntimePrograms } from './runtime-programs.ts'
import { findShim, type ShimConnection, ShimGone } from './shim-connection.ts'
import { ShimPlaces } from './shim-places.ts'
import { runtimeMilliseconds, startShim } from './shim-process.ts'

const startMilliseconds = runtimeMilliseconds + 10_000
const stateMilliseconds = 60_000
const destroyMilliseconds = 30_000
const killSignal = 9

interface Options {
  /** The engine's data folder. */
  folder: string
  /** Path of the built shim. */
  shim: string
  programs: RuntimePrograms
  clientMilliseconds: number
}

interface Container {
  process: FollowedProcess
  runtime: string
}

export class OciRuntime implements Port.Runtime {
  private readonly options: Options
  private readonly programs: RuntimePrograms
  private readonly places: ShimPlaces
  private readonly execs: Execs
  private readonly containers = new Map<string, Container>()
  private readonly creating = new Set<string>()
  private readonly outOfMemoryListeners: ((id: string) => void)[] = []

  constructor(options: Options) {
    this.options = options
    this.programs = options.programs
    this.places = new ShimPlaces(options.folder, options.programs, options.clientMilliseconds)
    this.execs = new Execs()
  }

  async create(container: Port.ContainerProcess): Promise<{ pid: number }> {
    const id = checked(container.id)
    const place = this.places.of(id, container.runtime)
    if (this.creating.has(id)) throw conflict(`container ${id} is being started already`)
    this.creating.add(id)
    try {
      await this.clearPlace(id, place)
      await writeContainer(container, place)
      const { connection, pid } = await startShim(this.options.shim, place.folder)
      this.follow(id, container.runtime, connection, pid)
      return { pid }
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error)
      const action = 'failed to create task for container: OCI runtime create failed'
      const failure = await startFailure(action, join(place.folder, 'runtime.log'), words)
      if (!this.containers.has(id)) await this.clean(id)
      throw failure
    } finally {
      this.creating.delete(id)
    }
  }

  async start(id: string): Promise<void> {
    const { process } = this.running(id)
    try {
      await process.command('start', startMilliseconds)
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error)
      const action = 'failed to start task for container: OCI runtime start failed'
      throw await startFailure(action, join(process.folder, 'runtime.log'), words)
    }
  }

  async exited(id: string): Promise<Port.ExitRecord> {
    const followed = this.containers.get(id)
    if (followed !== undefined) return followed.process.exited
    const exit = await readExit(this.places.folder(checked(id)))
    if (exit === undefined) throw conflict(`container ${id} is not running`)
    return exit
  }

  async ending(id: string): Promise<void> {
    await this.containers.get(id)?.process.ending
  }

  async signal(id: string, signal: number): Promise<void> {
    const { process } = this.running(id)
    await process.command(`signal ${signal}`)
    if (signal === killSignal) await thaw(process.pid)
  }

  async pause(id: string): Promise<void> {
    await setFrozen(await this.cgroup(id), true)
  }

  async resume(id: string): Promise<void> {
    await setFrozen(await this.cgroup(id), false)
  }

  async update(id: string, resources: Port.OciResources): Promise<void> {
    const { process, runtime } = this.running(id)
    const path = join(process.folder, 'resources.json')
    await writeFile(path, JSON.stringify(await this.freed(id, resources)), { mode: 0o600 })
    const { code, stderr } = await this.programs.call(runtime, ['update', '--resources', path, id])
    if (code !== 0) throw systemError(`Cannot update container ${id}: ${stderr.trim() || `status ${code}`}`)
  }

  /** What is left for the runtime to do after limits that are none were taken away. */
  private async freed(id: string, { cpu = {}, pids, ...rest }: Port.OciResources): Promise<Port.OciResources> {
    const { quota, ...others } = cpu
    const [hasFreeCpu, hasFreeProcesses] = [quota !== undefined && quota < 0, pids !== undefined && pids.limit < 0]
    if (hasFreeCpu) await freeCpu(await this.cgroup(id))
    if (hasFreeProcesses) await freeProcesses(await this.cgroup(id))
    return { ...rest, cpu: hasFreeCpu ? others : cpu, ...(pids === undefined || hasFreeProcesses ? {} : { pids }) }
  }

  async attach(id: string, wanted?: Port.AttachOptions): Promise<Port.AttachedStreams> {
    return attachTo(this.running(id).process.folder, wanted)
  }

  async resize(id: string, rows: number, columns: number): Promise<void> {
    await this.running(id).process.command(`resize ${Math.trunc(rows)} ${Math.trunc(columns)}`)
  }

  async processes(id: string): Promise<number[]> {
    return processesOf(await this.cgroup(id))
  }

  async usage(id: string): Promise<Port.CgroupUsage> {
    return usageOf(await this.cgroup(id))
  }

  async exec(process: Port.ExecProcess): Promise<{ pid: number; streams: Port.AttachedStreams }> {
    const { runtime } = this.running(process.containerId)
    return this.execs.start(process, this.places.of(process.containerId, runtime))
  }

  async execExited(execId: string): Promise<{ exitCode: number }> {
    const { exitCode } = await this.execs.exited(execId)
    return { exitCode }
  }

  async execResize(execId: string, rows: number, columns: number): Promise<void> {
    await this.execs.command(execId, `resize ${Math.trunc(rows)} ${Math.trunc(columns)}`)
  }

  async execSignal(execId: string, signal: number): Promise<void> {
    await this.execs.command(execId, `signal ${signal}`)
  }

  async restore(ids: readonly string[]): Promise<Map<string, Port.RestoredContainer>> {
    const restored = await Promise.all(ids.map(async (id) => [id, await this.restoreOne(checked(id))] as const))
    return new Map(restored)
  }

  async destroy(id: string): Promise<void> {
    const followed = this.containers.get(checked(id))?.process ?? (await this.refollow(id))?.process
    if (followed !== undefined && !followed.hasEnded) {
      await followed.command(`signal ${killSignal}`).catch(() => {})
      await thaw(followed.pid)
      await withDeadline(followed.exited, destroyMilliseconds, 'the container').catch(() => {})
    }
    await withDeadline(this.execs.forget(id), destroyMilliseconds, 'an exec').catch(() => {})
    await this.clean(id)
    this.containers.delete(id)
  }

  onOutOfMemory(listener: (id: string) => void): void {
    this.outOfMemoryListeners.push(listener)
  }

  get runtimeNames(): string[] {
    return this.programs.names
  }

  async versions(): Promise<{ runtimes: Record<string, { path: string; version: string }> }> {
    return { runtimes: await this.programs.versions() }
  }

  /** The engine goes; containers stay. */
  release(): void {
    for (const { process } of this.containers.values()) process.release()
    this.execs.release()
  }

  private running(id: string): Container {
    const container = this.containers.get(id)
    if (container === undefined || container.process.hasEnded) throw conflict(`Container ${id} is not running`)
    return container
  }

  private async cgroup(id: string): ReturnType<typeof findCgroup> {
    const { process } = this.running(id)
    return findCgroup(process.pid).catch(() => {
      throw conflict(`Container ${id} is not running`)
    })
  }

  private follow(id: string, runtime: string, connection: ShimConnection, pid: number): Container {
    const onEvent = (event: string): void => {
      if (event === 'oom') for (const listener of this.outOfMemoryListeners) listener(id)
    }
    const lost = (): Promise<Port.ExitRecord> => this.lost(id)
    const process = new FollowedProcess({ folder: this.places.folder(id), pid, connection, lost, onEvent })
    const container = { process, runtime }
    this.containers.set(id, container)
    return container
  }

  /** Without its shim a container has no streams and nobody to tell its end: it is ended. */
  private async lost(id: string): Promise<Port.ExitRecord> {
    await this.endWithoutShim(id)
    const exit = { exitCode: 128 + killSignal, oomKilled: false, finishedAt: new Date().toISOString() }
    await writeExit(this.places.folder(id), exit).catch(() => {})
    return exit
  }

  private async endWithoutShim(id: string): Promise<void> {
    await this.programs.forget(id)
    const cgroups = await cgroupsPathOf(this.places.bundle(id))
    if (cgroups !== undefined) await removeCgroups(cgroups)
  }

  /** Its shim has done all that was to be done after the end. */
  private async isCleanedUp(id: string): Promise<boolean> {
    return (await readExit(this.places.folder(id))) !== undefined && !(await this.programs.knows(id))
  }

  private async clean(id: string): Promise<void> {
    if (!(await this.isCleanedUp(id))) await this.endWithoutShim(id)
    await removeFiles(this.places.folder(id), this.places.bundle(id))
  }

  /** Before a start: what the last run left is removed, unless it still runs. */
  private async clearPlace(id: string, place: ShimPlace): Promise<void> {
    const followed = this.containers.get(id)
    if (followed !== undefined && !followed.process.hasEnded) throw conflict(`container ${id} is running`)
    this.containers.delete(id)
    if (!(await this.isCleanedUp(id))) {
      const shim = await findShim(place.folder)
      shim?.release()
      if (shim !== undefined) throw conflict(`container ${id} is running`)
      await this.endWithoutShim(id)
    }
    await removeFiles(place.folder)
  }

  /** Finds a shim that an engine before this one started. */
  private async refollow(id: string): Promise<(Container & { state: string }) | undefined> {
    const folder = this.places.folder(id)
    const runtime = await this.runtimeNameOf(folder)
    const shim = runtime === undefined ? undefined : await findShim(folder).catch(() => undefined)
    if (shim === undefined || runtime === undefined) return undefined
    const answer = await shim.request('state', stateMilliseconds).catch((error: unknown) => {
      shim.release()
      if (error instanceof ShimGone) return undefined
      throw error
    })
    if (answer === undefined) return undefined
    const [state = '', pid] = answer.split(' ')
    return { ...this.follow(id, runtime, shim, Number(pid)), state }
  }

  private async runtimeNameOf(folder: string): Promise<string | undefined> {
    const path = await readSetting(folder, 'runtime')
    return this.runtimeNames.find((name) => this.programs.path(name) === path)
  }

  private async restoreOne(id: string): Promise<Port.RestoredContainer> {
    const found = await this.refollow(id)
    await this.execs.restore(id, this.places.folder(id))
    if (found !== undefined && found.state !== 'ended') {
      const { pid } = found.process
      const cgroup = await findCgroup(pid).catch(() => undefined)
      if (found.state === 'created') return { state: 'created', pid }
      return { state: cgroup !== undefined && (await isPaused(cgroup)) ? 'paused' : 'running', pid }
    }
    if (found !== undefined) await withDeadline(found.process.exited, stateMilliseconds, 'the container')
    const exit = await readExit(this.places.folder(id))
    if (exit !== undefined) return { state: 'exited', exit }
    // Its shim was killed while no engine was there to see it; its processes may well go on.
    const hadShim = (await readSetting(this.places.folder(id), 'id')) !== undefined
    return hadShim ? { state: 'exited', exit: await this.lost(id) } : { state: 'gone' }
  }
}

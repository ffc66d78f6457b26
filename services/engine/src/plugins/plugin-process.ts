// The process of one plugin: started, found again after a restart of the engine, brought back when it dies, and ended.
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '@atoll/kernel/telemetry/log'
import { conflict, systemError } from '../errors.ts'
import { endsWithin, seconds, within } from '../resources/containers/deadline.ts'
import type { ContainerSpecs } from '../resources/containers/ports.ts'
import type { RestoredContainer, Runtime } from '../runtime/runtime.ts'
import type { PluginContent } from './plugin-content.ts'
import { lastWords } from './plugin-log.ts'
import type { PluginRecord } from './plugin-record.ts'
import { PluginSocket } from './plugin-socket.ts'
import { type PluginFolders, pluginSpec } from './plugin-spec.ts'
import { sharePropagated, unsharePropagated } from './propagated-mount.ts'

export interface ProcessParts {
  runtime: Runtime
  /** The name of the one that runs plugins. */
  defaultRuntime: string
  specs: ContainerSpecs
  content: PluginContent
  log: Log
}

const terminate = 15
const endDeadline = seconds(10)
const lookAgainMs = 25
const connectMs = 1_000
const logBytes = 1024 * 1024
const firstRestartMs = 100
const maxRestartMs = 60_000
/** Who ran for that long has not failed at its start. */
const steadyMs = 10_000

export class PluginProcess {
  readonly #parts: ProcessParts
  /** The newest record. */
  readonly #plugin: () => PluginRecord
  /** Aborted when it is not to run any more; absent: it is not to run. */
  #wanted: AbortController | undefined
  #isStarting = false
  /** Of the start that is under way, or was the last. */
  #ready: Promise<void> = Promise.resolve()
  /** Resolves at its end; undefined: it does not run. */
  #ended: Promise<unknown> | undefined
  #startedAtMs = 0

  constructor(parts: ProcessParts, plugin: () => PluginRecord) {
    this.#parts = parts
    this.#plugin = plugin
  }

  /** Resolves once it takes calls. Leaves nothing behind when it fails. */
  start(timeoutMs: number): Promise<void> {
    this.#wanted = new AbortController()
    this.#becomeReady(
      this.#launch(timeoutMs).catch(async (error: unknown) => {
        this.#wanted = undefined
        await this.#clear()
        throw error
      }),
    )
    return this.#ready
  }

  /** After a restart of the engine: found running, or started anew. */
  async resume(found: RestoredContainer): Promise<void> {
    this.#wanted = new AbortController()
    if (found.state === 'running' || found.state === 'paused') {
      // Nobody writes any more to the pipes of the engine before.
      await clearFolder(this.folders().logging)
      this.#follow()
    } else this.#becomeReady(this.#startAgain(this.#wanted.signal, 0))
  }

  async stop(): Promise<void> {
    this.release()
    await this.#ready.catch(() => undefined)
    if (this.#ended !== undefined) {
      await this.#parts.runtime.signal(this.#plugin().id, terminate).catch(() => undefined)
      await endsWithin(endDeadline, this.#ended)
    }
    await this.#clear()
  }

  /** The engine goes, the plugin stays. */
  release(): void {
    this.#wanted?.abort()
    this.#wanted = undefined
  }

  /** Once it is up; a start that is under way is waited for, for a while. */
  async socket(): Promise<PluginSocket> {
    const plugin = this.#plugin()
    if (this.#wanted === undefined) throw conflict(`plugin ${plugin.name} is disabled`)
    await within(plugin.timeoutMs, `the start of plugin ${plugin.name}`, this.#ready)
    return this.#socketOf(plugin)
  }

  folders(): PluginFolders {
    const folder = this.#parts.content.folderOf(this.#plugin().id)
    const [sockets, logging, propagated] = ['sockets', 'logging', 'propagated'].map((name) => join(folder, name))
    return { sockets, logging, propagated } as PluginFolders
  }

  #socketOf({ config, name }: PluginRecord): PluginSocket {
    return new PluginSocket(this.folders().sockets, config.Interface.Socket, name)
  }

  async #launch(timeoutMs: number): Promise<void> {
    this.#isStarting = true
    try {
      await this.#run(timeoutMs)
    } finally {
      this.#isStarting = false
    }
  }

  async #run(timeoutMs: number): Promise<void> {
    const { runtime, specs, content, defaultRuntime } = this.#parts
    const plugin = this.#plugin()
    const folders = this.folders()
    await makeFolders(folders)
    if (plugin.config.PropagatedMount !== '') await sharePropagated(folders.propagated)
    const rootfs = await content.rootfs(plugin)
    const spec = await pluginSpec(specs, plugin, rootfs, folders)
    await runtime.create({
      ...{ id: plugin.id, runtime: defaultRuntime, spec, rootfs },
      ...{ tty: false, openStdin: false, stdinOnce: false },
      log: { path: this.#logPath(), maxBytes: logBytes, maxFiles: 2 },
    })
    await runtime.start(plugin.id)
    this.#startedAtMs = Date.now()
    this.#follow()
    await this.#untilUp(plugin, timeoutMs)
  }

  #logPath(): string {
    return join(this.#parts.content.folderOf(this.#plugin().id), 'log.json')
  }

  async #untilUp(plugin: PluginRecord, timeoutMs: number): Promise<void> {
    const socket = this.#socketOf(plugin)
    const until = Date.now() + timeoutMs
    while (!(await socket.isUp(connectMs))) {
      if (this.#ended === undefined) {
        throw systemError(`plugin ${plugin.name} ended before it listened${await lastWords(this.#logPath())}`)
      }
      if (Date.now() > until) {
        const name = plugin.config.Interface.Socket
        throw systemError(
          `plugin ${plugin.name} did not listen on ${name} within ${timeoutMs / 1000} s${await lastWords(this.#logPath())}`,
        )
      }
      await delay(lookAgainMs)
    }
  }

  #follow(): void {
    const ended = this.#parts.runtime
      .exited(this.#plugin().id)
      .catch(() => undefined)
      .then(() => {
        if (this.#ended === ended) this.#ended = undefined
        if (this.#wanted === undefined || this.#isStarting) return
        this.#parts.log.warn({ plugin: this.#plugin().name }, 'A plugin has ended, and is started again')
        const wasSteady = Date.now() - this.#startedAtMs > steadyMs
        this.#becomeReady(this.#startAgain(this.#wanted.signal, wasSteady ? 0 : firstRestartMs))
      })
    this.#ended = ended
  }

  #becomeReady(ready: Promise<void>): void {
    ready.catch(() => undefined)
    this.#ready = ready
  }

  /** Tried until it comes up or is disabled. */
  async #startAgain(signal: AbortSignal, waitMs: number): Promise<void> {
    for (let pause = waitMs; ; pause = Math.min(maxRestartMs, Math.max(firstRestartMs, pause * 2))) {
      await delay(pause, undefined, { signal, ref: false })
      const { id, name, timeoutMs } = this.#plugin()
      try {
        return await this.#launch(timeoutMs)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        this.#parts.log.warn({ plugin: name, reason }, 'A plugin could not be started, and is tried again')
        await this.#parts.runtime.destroy(id).catch(() => undefined)
      }
    }
  }

  async #clear(): Promise<void> {
    const { runtime, log } = this.#parts
    const { id, config, name } = this.#plugin()
    await runtime.destroy(id)
    this.#ended = undefined
    if (config.PropagatedMount === '') return
    await unsharePropagated(this.folders().propagated).catch((error: Error) =>
      log.warn({ plugin: name, reason: error.message }, 'The mounts of a plugin could not be taken away'),
    )
  }
}

/** Sockets and pipes of an earlier run lead nowhere. */
async function makeFolders({ sockets, logging, propagated }: PluginFolders): Promise<void> {
  for (const folder of [sockets, logging, propagated]) await mkdir(folder, { recursive: true, mode: 0o755 })
  for (const folder of [sockets, logging]) await clearFolder(folder)
}

async function clearFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true })
}

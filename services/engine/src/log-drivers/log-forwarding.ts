// Logs that go elsewhere, of all containers: begun with their start, gone on with after a restart of the engine, and
// finished before they are removed.
import type { Log } from '@atoll/kernel/telemetry/log'
import { systemError } from '../errors.ts'
import type { EngineEvents } from '../events/engine-events.ts'
import { endsWithin, seconds } from '../resources/containers/deadline.ts'
import { logPath } from '../resources/containers/log-config.ts'
import { LogWatches } from '../resources/containers/logs/log-watch.ts'
import type { ContainerRecord } from '../resources/containers/record.ts'
import { driverOf } from './drivers.ts'
import { Forwarder } from './forwarder.ts'
import type { LogDriver, LogTools } from './log-driver.ts'

interface LogForwardingParts {
  /** Throws noSuchContainer. */
  find(id: string): ContainerRecord
  folderOf(id: string): string
  events: EngineEvents
  log: Log
  tools: LogTools
  /** A driver that is a plugin; undefined: none is called so. */
  plugin(name: string): LogDriver | undefined
}

/** How long the removal of a container waits for its last lines. */
const finishDeadline = seconds(10)

export class LogForwarding {
  readonly #parts: LogForwardingParts
  readonly #forwarders = new Map<string, Forwarder>()
  readonly #watches = new LogWatches()
  readonly #unlisten: () => void

  constructor(parts: LogForwardingParts) {
    this.#parts = parts
    this.#unlisten = parts.events.listen(({ Type, Action, Actor: { ID } }) => {
      if (Type !== 'container') return
      if (Action === 'start') this.#forwarderOf(ID)?.begin()
      else if (Action === 'destroy') this.#forget(ID)
      // Its end writes nothing to the log, but is what is waited for.
      else if (this.#forwarders.has(ID)) this.#watches.wake(logPath(parts.folderOf(ID)))
    })
  }

  /** Before a container starts: refuses when its log could not be delivered. */
  async beforeStart(id: string): Promise<void> {
    try {
      await this.#forwarderOf(id)?.connect()
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error)
      throw systemError(`failed to create task for container: failed to initialize logging driver: ${words}`)
    }
  }

  startFailed(id: string): void {
    this.#forwarders.get(id)?.letGo()
  }

  /** Before a container's folder goes: waits for its last lines, for a while. */
  async beforeRemoval(id: string): Promise<void> {
    const forwarder = this.#forwarderOf(id)
    if (forwarder === undefined) return
    const finished = forwarder.finish()
    this.#watches.wake(logPath(this.#parts.folderOf(id)))
    await endsWithin(finishDeadline, finished)
  }

  /** After a restart of the engine: goes on with all that was not delivered. */
  resume(containers: readonly ContainerRecord[]): void {
    for (const { id } of containers) this.#forwarderOf(id)?.begin()
  }

  close(): void {
    this.#unlisten()
    for (const id of [...this.#forwarders.keys()]) this.#forget(id)
  }

  #forget(id: string): void {
    this.#forwarders.get(id)?.stop()
    this.#forwarders.delete(id)
  }

  /** Undefined where logs go nowhere. */
  #forwarderOf(id: string): Forwarder | undefined {
    const known = this.#forwarders.get(id)
    if (known !== undefined) return known
    const { find, folderOf, log, tools, plugin } = this.#parts
    const config = this.#find(id)?.hostConfig.LogConfig
    const driver = driverOf(config) ?? plugin(config?.Type ?? '')
    const forwarding = driver?.forward?.(config?.Config ?? {}, () => find(id), tools)
    if (forwarding === undefined) return undefined
    const folder = folderOf(id)
    const forwarder = new Forwarder({
      ...forwarding,
      ...{ id, folder, log, watches: this.#watches, logPath: logPath(folder) },
      isLive: () => this.#isLive(id),
    })
    this.#forwarders.set(id, forwarder)
    return forwarder
  }

  #isLive(id: string): boolean {
    const status = this.#find(id)?.state.status
    return status === 'running' || status === 'paused' || status === 'restarting'
  }

  #find(id: string): ContainerRecord | undefined {
    try {
      return this.#parts.find(id)
    } catch {
      return undefined
    }
  }
}

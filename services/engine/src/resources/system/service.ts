// The engine as a whole. Nothing here waits for a container.
import type { Readable } from 'node:stream'
import { invalidParameter } from '../../errors.ts'
import { streamItems } from '../../versions/stream-items.ts'
import type { Filters } from '../query/schema.ts'
import { describeInfo } from './describe-info.ts'
import { describeVersion } from './describe-version.ts'
import { SharedUsage } from './disk-usage.ts'
import { eventFilter } from './event-filters.ts'
import { eventStream } from './event-stream.ts'
import { eventTime } from './event-time.ts'
import type { SystemPorts, SystemSettings } from './ports.ts'
import { type DiskUsage, type Info, type SwarmState, type UsageKind, usageKinds, type Version } from './schema.ts'

const runtimesKeptMs = 60_000

type Runtimes = Awaited<ReturnType<SystemPorts['runtime']['versions']>>['runtimes']

export interface EventsAsked {
  since?: string | undefined
  until?: string | undefined
  filters: Filters
}

export class System {
  #ports: SystemPorts
  readonly #usage: SharedUsage
  readonly #streams = new Set<Readable>()
  #runtimes: { found: Promise<Runtimes>; until: number } | undefined

  constructor(ports: SystemPorts) {
    this.#ports = ports
    this.#usage = new SharedUsage(ports.usage)
  }

  /** Of this engine, for ever. */
  get id(): string {
    return this.#ports.id
  }

  get swarmState(): SwarmState {
    return this.#ports.swarmState()
  }

  get builder(): string {
    return this.#ports.settings.builder
  }

  async version(): Promise<Version> {
    return describeVersion(await this.#versions())
  }

  async info(): Promise<Info> {
    return describeInfo(this.#ports, { listeners: this.#streams.size, runtimes: await this.#versions() })
  }

  /** `ways` are those of the caller's version. */
  events({ since, until, filters }: EventsAsked, ways: ReadonlySet<string>): Readable {
    const { clock, events } = this.#ports
    const nowMs = clock.now()
    const from = eventTime('since', since, nowMs)
    const to = eventTime('until', until, nowMs)
    if (from !== undefined && to !== undefined && to < from) {
      throw invalidParameter(`\`since\` time (${since}) cannot be after \`until\` time (${until})`)
    }
    const fits = eventFilter(filters)
    const stream = eventStream(events, { since: from, until: to, fits, shape: streamItems('GET /events', ways), nowMs })
    this.#streams.add(stream)
    stream.once('close', () => this.#streams.delete(stream))
    return stream
  }

  /** ENG-671: the configuration is another one now, and whoever listens is told. */
  reload(settings: SystemSettings, attributes: Record<string, string>): void {
    this.#ports = { ...this.#ports, settings }
    this.#ports.events.emit('daemon', 'reload', this.#ports.id, attributes)
  }

  /** Of all kinds when none is named. */
  usage(kinds: readonly string[]): Promise<DiskUsage> {
    for (const kind of kinds) {
      if (!isKind(kind)) throw invalidParameter(`unknown object type: ${kind}; use one of ${usageKinds.join(', ')}`)
    }
    const asked = usageKinds.filter((kind) => kinds.includes(kind))
    return this.#usage.of(asked.length === 0 ? usageKinds : asked)
  }

  /** The engine goes down: whoever listens to events is told by the end of them. */
  close(): void {
    for (const stream of this.#streams) stream.push(null)
  }

  /** Asking them means running programs. */
  #versions(): Promise<Runtimes> {
    const now = this.#ports.clock.now()
    if (this.#runtimes === undefined || this.#runtimes.until <= now) {
      const found = this.#ports.runtime.versions().then(({ runtimes }) => runtimes)
      this.#runtimes = { found, until: now + runtimesKeptMs }
      found.catch(() => {
        this.#runtimes = undefined
      })
    }
    return this.#runtimes.found
  }
}

const isKind = (kind: string): kind is UsageKind => usageKinds.some((known) => known === kind)

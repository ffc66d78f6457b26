// What containers use: once, or again and again.
import type { Readable } from 'node:stream'
import type { EngineEvents } from '../../../events/engine-events.ts'
import type { Networking } from '../../../network/networking.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { PulledStream } from '../../../streams/pulled-stream.ts'
import type { ContainerRecord } from '../record.ts'
import { emptyStats, never, type Sample, statsOf } from './measure.ts'
import { Sampler } from './sampler.ts'
import type { Stats } from './schema.ts'

export interface StatsParts {
  /** Throws noSuchContainer. */
  find(idOrName: string): ContainerRecord
  runtime: Pick<Runtime, 'usage'>
  networking: Pick<Networking, 'stats'>
  events: EngineEvents
}

export class StatsReading {
  readonly #parts: StatsParts
  readonly #samplers = new Map<string, Sampler>()

  constructor(parts: StatsParts) {
    this.#parts = parts
  }

  /** At once, with nothing to compare with. */
  async now(idOrName: string): Promise<Stats> {
    const container = this.#parts.find(idOrName)
    const sample = await this.#sample(container)
    return sample === undefined ? emptyStats(container) : statsOf(container, sample, undefined)
  }

  /** After two looks, so that the use of processors can be told. Empty for a container that does not run. */
  compared(idOrName: string, signal: AbortSignal): Promise<Stats> {
    const container = this.#parts.find(idOrName)
    if (!isRunning(container)) return Promise.resolve(emptyStats(container))
    return new Promise((resolve) => {
      let looks = 0
      const stop = this.#samplerOf(container.id).read((stats) => {
        looks += 1
        // Other readers may have begun before: then the first one has something to compare with already.
        const isCompared = stats.precpu_stats.system_cpu_usage !== undefined
        if (looks < 2 && !isCompared && !isEmpty(stats)) return
        finish(stats)
      })
      const forget = this.#onGone(container.id, () => finish(emptyStats(container)))
      const leave = () => finish(emptyStats(container))
      const finish = (stats: Stats) => {
        stop()
        forget()
        signal.removeEventListener('abort', leave)
        resolve(stats)
      }
      signal.addEventListener('abort', leave)
      if (signal.aborted) leave()
    })
  }

  /** A line of JSON for every look, until the reader leaves or the container is gone. `put` may change what is told. */
  stream(idOrName: string, put: (stats: Stats) => unknown): Readable {
    const { id } = this.#parts.find(idOrName)
    return new PulledStream((signal) => this.#lines(id, put, signal))
  }

  /** How many containers are looked at. */
  get sampled(): number {
    return this.#samplers.size
  }

  async *#lines(id: string, put: (stats: Stats) => unknown, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    let latest: Stats | undefined
    let isGone = false
    let proceed = () => {}
    const wake = () => proceed()
    // A reader that is slow gets the newest look and misses those in between.
    const stop = this.#samplerOf(id).read((stats) => {
      // The end of a container is told once.
      if (latest !== undefined && isEmpty(stats) && isEmpty(latest)) return
      latest = stats
      wake()
    })
    const forget = this.#onGone(id, () => {
      isGone = true
      wake()
    })
    signal.addEventListener('abort', wake)
    let told: Stats | undefined
    try {
      while (!signal.aborted) {
        if (latest !== undefined && latest !== told) {
          told = latest
          yield Buffer.from(`${JSON.stringify(put(told))}\n`)
          continue
        }
        if (isGone) return
        await new Promise<void>((resolve) => {
          proceed = resolve
        })
      }
    } finally {
      stop()
      forget()
      signal.removeEventListener('abort', wake)
    }
  }

  #samplerOf(id: string): Sampler {
    const known = this.#samplers.get(id)
    if (known !== undefined) return known
    const parts = {
      find: (asked: string) => this.#found(asked),
      sample: (found: ContainerRecord) => this.#sample(found),
    }
    const sampler = new Sampler(id, parts, () => this.#samplers.delete(id))
    this.#samplers.set(id, sampler)
    return sampler
  }

  async #sample(container: ContainerRecord): Promise<Sample | undefined> {
    if (!isRunning(container)) return undefined
    const [usage, networks] = await Promise.all([
      this.#parts.runtime.usage(container.id),
      this.#parts.networking.stats(container.id).catch(() => ({})),
    ])
    return { usage, networks }
  }

  #found(id: string): ContainerRecord | undefined {
    try {
      return this.#parts.find(id)
    } catch {
      return undefined
    }
  }

  #onGone(id: string, then: () => void): () => void {
    return this.#parts.events.listen(({ Type, Action, Actor }) => {
      if (Type === 'container' && Action === 'destroy' && Actor.ID === id) then()
    })
  }
}

const isEmpty = ({ read }: Stats): boolean => read === never

const isRunning = ({ state }: ContainerRecord): boolean => state.status === 'running' || state.status === 'paused'

// Looks at containers once a second while somebody wants to know: one look for all readers of a container.
import type { ContainerRecord } from '../record.ts'
import { emptyStats, type Sample, statsOf } from './measure.ts'
import type { Stats } from './schema.ts'

const periodMs = 1_000

type Reader = (stats: Stats) => void

export interface SamplerParts {
  /** Undefined when the container is gone. */
  find(id: string): ContainerRecord | undefined
  /** Undefined when it does not run. */
  sample(container: ContainerRecord): Promise<Sample | undefined>
}

/** Of one container. */
export class Sampler {
  readonly #parts: SamplerParts
  readonly #id: string
  readonly #readers = new Set<Reader>()
  readonly #onIdle: () => void
  #previous: Sample | undefined
  #timer: NodeJS.Timeout | undefined
  #isLooking = false

  constructor(id: string, parts: SamplerParts, onIdle: () => void) {
    this.#id = id
    this.#parts = parts
    this.#onIdle = onIdle
  }

  /** Calls `reader` with every look from now on; returns how to stop. */
  read(reader: Reader): () => void {
    this.#readers.add(reader)
    if (this.#readers.size === 1) this.#begin()
    return () => {
      if (!this.#readers.delete(reader) || this.#readers.size > 0) return
      clearInterval(this.#timer)
      this.#previous = undefined
      this.#onIdle()
    }
  }

  #begin(): void {
    this.#timer = setInterval(() => void this.#look(), periodMs)
    void this.#look()
  }

  /** A look that takes longer than the period is not overtaken by the next. */
  async #look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      const stats = await this.#measure()
      if (stats !== undefined) for (const reader of [...this.#readers]) reader(stats)
    } finally {
      this.#isLooking = false
    }
  }

  /** Undefined for a container that is gone. */
  async #measure(): Promise<Stats | undefined> {
    const container = this.#parts.find(this.#id)
    if (container === undefined) return undefined
    const sample = await this.#parts.sample(container).catch(() => undefined)
    const previous = this.#previous
    this.#previous = sample
    return sample === undefined ? emptyStats(container) : statsOf(container, sample, previous)
  }
}

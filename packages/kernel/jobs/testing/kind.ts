// For the tests of jobs: kinds whose runs a test can watch and hold.
import { z } from 'zod'
import type { JobKind, RunningJob } from '../jobs.ts'

const payload = z.object({ n: z.number() })
export type TestPayload = z.output<typeof payload>

export function testKind(
  run: (job: RunningJob<TestPayload>) => Promise<void>,
  change: Partial<JobKind<TestPayload>> = {},
): JobKind<TestPayload> {
  const settings = { name: 'test', maxAttempts: 3, leaseSeconds: 30, concurrency: 4, backoffSeconds: () => 0 }
  return { ...settings, payload, run, ...change }
}

/** A run that a test holds until it lets it go. */
export class Gate {
  readonly #entered = Promise.withResolvers<RunningJob<TestPayload>>()
  readonly #opened = Promise.withResolvers<void>()
  readonly #left = Promise.withResolvers<void>()
  readonly entered: Promise<RunningJob<TestPayload>> = this.#entered.promise
  readonly left: Promise<void> = this.#left.promise

  open(): void {
    this.#opened.resolve()
  }

  run = async (job: RunningJob<TestPayload>): Promise<void> => {
    this.#entered.resolve(job)
    await this.#opened.promise
    this.#left.resolve()
  }
}

/** Resolves when `signal` is aborted. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Counts calls and resolves at the one it waits for. */
export class Counter {
  #count = 0
  #waiting: { count: number; resolve: () => void }[] = []

  get count(): number {
    return this.#count
  }

  add(): void {
    this.#count++
    for (const { count, resolve } of this.#waiting) if (this.#count >= count) resolve()
  }

  reaches(count: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#count >= count) resolve()
      else this.#waiting.push({ count, resolve })
    })
  }
}

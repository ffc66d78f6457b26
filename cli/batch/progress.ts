// Shows how far a batch is: one line that is written over on a terminal, a line every few seconds elsewhere.
import type { BatchObject } from '@atoll/platform/resources/batches/schema'
import { duration, ProgressLine, type ProgressOutput, Speed } from '../progress-line.ts'

const linesEveryMs = 5_000
/** Long, since a request may take seconds. */
const speedWindowMs = 30_000

/** What a person is told in place of a figure that is not there or says little. */
const doing: Partial<Record<BatchObject['status'], string>> = {
  validating: 'looking through the lines',
  finalizing: 'writing the results',
  cancelling: 'cancelling',
}

export class BatchProgress {
  readonly #line: ProgressLine
  readonly #now: () => number
  readonly #speed = new Speed(speedWindowMs)
  #shownAt: number
  #shown = ''

  constructor(output: ProgressOutput, now: () => number = Date.now) {
    this.#line = new ProgressLine(output)
    this.#now = now
    this.#shownAt = now()
  }

  show(batch: BatchObject): void {
    const text = this.#text(batch)
    const isTooSoon = this.#now() - this.#shownAt < linesEveryMs || text === this.#shown
    if (!this.#line.isTerminal && isTooSoon) return
    this.#shownAt = this.#now()
    this.#shown = text
    this.#line.show(text)
  }

  /** A line that stays. */
  note(text: string): void {
    this.#line.note(text)
  }

  /** Ends a line that was to be written over. */
  close(): void {
    this.#line.close()
  }

  #text({ status, request_counts: { total, completed, failed } }: BatchObject): string {
    if (total === 0) return `  ${doing[status] ?? status}`
    const done = completed + failed
    const perSecond = this.#speed.perSecond(done, this.#now())
    const left = perSecond > 0 && done < total ? `  ${duration((total - done) / perSecond)} left` : ''
    const speed = perSecond > 0 ? `  ${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s` : ''
    const state = doing[status] === undefined ? left : `  ${doing[status]}`
    return `  ${this.#line.bar(done / total)}${done}/${total}  ${failed} failed${speed}${state}`
  }
}

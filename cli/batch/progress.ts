// Shows how far a batch is: one line that is written over on a terminal, a line every few seconds elsewhere.
import type { BatchObject } from '@atoll/platform/resources/batches/schema'
import { duration, PacedProgress, Speed } from '../progress-line.ts'

/** Long, since a request may take seconds. */
const speedWindowMs = 30_000

/** What a person is told in place of a figure that is not there or says little. */
const doing: Partial<Record<BatchObject['status'], string>> = {
  validating: 'looking through the lines',
  finalizing: 'writing the results',
  cancelling: 'cancelling',
}

export class BatchProgress extends PacedProgress<BatchObject> {
  readonly #speed = new Speed(speedWindowMs)

  protected override text({ status, request_counts: { total, completed, failed } }: BatchObject): string {
    if (total === 0) return `  ${doing[status] ?? status}`
    const done = completed + failed
    const perSecond = this.#speed.perSecond(done, this.now())
    const left = perSecond > 0 && done < total ? `  ${duration((total - done) / perSecond)} left` : ''
    const speed = perSecond > 0 ? `  ${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s` : ''
    const state = doing[status] === undefined ? left : `  ${doing[status]}`
    return `  ${this.line.bar(done / total)}${done}/${total}  ${failed} failed${speed}${state}`
  }
}

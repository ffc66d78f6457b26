// Shows how far a batch is: one line that is written over on a terminal, a line every few seconds elsewhere.
import type { BatchObject } from '@atoll/platform/resources/batches/schema'
import type { ProgressOutput } from './models-progress.ts'

const linesEveryMs = 5_000
/** Long, since a request may take seconds. */
const speedWindowMs = 30_000
const barWidth = 24

/** What a person is told in place of a figure that is not there or says little. */
const doing: Partial<Record<BatchObject['status'], string>> = {
  validating: 'looking through the lines',
  finalizing: 'writing the results',
  cancelling: 'cancelling',
}

export class BatchProgress {
  readonly #output: ProgressOutput
  readonly #now: () => number
  #shownAt: number
  #shown = ''
  #open = false
  #marks: { at: number; done: number }[] = []

  constructor(output: ProgressOutput, now: () => number = Date.now) {
    this.#output = output
    this.#now = now
    this.#shownAt = now()
  }

  show(batch: BatchObject): void {
    const line = this.#line(batch)
    if (this.#output.isTTY) {
      this.#open = true
      this.#output.write(`\r${line.slice(0, (this.#output.columns || 80) - 1)}\u001b[K`)
      return
    }
    if (this.#now() - this.#shownAt < linesEveryMs || line === this.#shown) return
    this.#shownAt = this.#now()
    this.#shown = line
    this.#output.write(`${line}\n`)
  }

  /** A line that stays. */
  note(text: string): void {
    this.close()
    this.#output.write(`${text}\n`)
  }

  /** Ends a line that was to be written over. */
  close(): void {
    if (this.#open) this.#output.write('\n')
    this.#open = false
  }

  #line({ status, request_counts: { total, completed, failed } }: BatchObject): string {
    if (total === 0) return `  ${doing[status] ?? status}`
    const done = completed + failed
    const perSecond = this.#speed(done)
    const filled = Math.floor((done / total) * barWidth)
    const bar = this.#output.isTTY ? `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ` : ''
    const left = perSecond > 0 && done < total ? `  ${duration((total - done) / perSecond)} left` : ''
    const speed = perSecond > 0 ? `  ${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s` : ''
    const state = doing[status] === undefined ? left : `  ${doing[status]}`
    return `  ${bar}${done}/${total}  ${failed} failed${speed}${state}`
  }

  /** Of the last seconds, not of all the time. */
  #speed(done: number): number {
    const now = this.#now()
    this.#marks.push({ at: now, done })
    while (this.#marks.length > 2 && now - (this.#marks[0]?.at ?? now) > speedWindowMs) this.#marks.shift()
    const first = this.#marks[0] ?? { at: now, done }
    return Math.max(0, ((done - first.done) * 1000) / Math.max(1, now - first.at))
  }
}

export function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}

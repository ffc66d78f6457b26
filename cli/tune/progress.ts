// Shows how far a training is: one line that is written over on a terminal, a line every few seconds elsewhere.
import { duration, ProgressLine, type ProgressOutput, Speed } from '../progress-line.ts'
import type { WatchedJob } from './watched-job.ts'

const linesEveryMs = 5_000
/** Long, since a step may take seconds. */
const speedWindowMs = 30_000

/** What a person is told before there is a first step. */
const doing: Partial<Record<WatchedJob['job']['status'], string>> = {
  queued: 'waiting for its turn',
  validating_files: 'reading the examples',
  running: 'loading the model',
}

export class TuningProgress {
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

  show(watched: WatchedJob): void {
    const text = this.#text(watched)
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

  #text({ job, step, steps, train, trainedTokens }: WatchedJob): string {
    if (step === undefined) return `  ${doing[job.status] ?? job.status}`
    const perSecond = this.#speed.perSecond(trainedTokens, this.#now())
    const speed = perSecond > 0 ? `  ${perSecond.toFixed(perSecond < 10 ? 1 : 0)} tokens/s` : ''
    const left = job.estimated_finish === null ? undefined : job.estimated_finish - this.#now() / 1000
    const rest = left === undefined || step >= steps ? '' : `  ${duration(Math.max(1, left))} left`
    const loss = `  loss ${train.at(-1)?.loss.toFixed(2) ?? '-'}`
    return `  ${this.#line.bar(step / steps)}step ${step}/${steps}${loss}${speed}${rest}`
  }
}

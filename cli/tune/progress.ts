// Shows how far a training is: one line that is written over on a terminal, a line every few seconds elsewhere.
import { duration, PacedProgress, Speed } from '../progress-line.ts'
import type { WatchedJob } from './watched-job.ts'

/** Long, since a step may take seconds. */
const speedWindowMs = 30_000

/** What a person is told before there is a first step. */
const doing: Partial<Record<WatchedJob['job']['status'], string>> = {
  queued: 'waiting for its turn',
  validating_files: 'reading the examples',
  running: 'loading the model',
  paused: 'paused',
}

export class TuningProgress extends PacedProgress<WatchedJob> {
  readonly #speed = new Speed(speedWindowMs)

  protected override text({ job, step, steps, train, trainedTokens }: WatchedJob): string {
    if (step === undefined) return `  ${doing[job.status] ?? job.status}`
    const perSecond = this.#speed.perSecond(trainedTokens, this.now())
    const speed = perSecond > 0 ? `  ${perSecond.toFixed(perSecond < 10 ? 1 : 0)} tokens/s` : ''
    const left = job.estimated_finish === null ? undefined : job.estimated_finish - this.now() / 1000
    const isOver = left === undefined || step >= steps
    const rest = job.status === 'paused' ? '  paused' : isOver ? '' : `  ${duration(Math.max(1, left))} left`
    const loss = `  loss ${train.at(-1)?.loss.toFixed(2) ?? '-'}`
    return `  ${this.line.bar(step / steps)}step ${step}/${steps}${loss}${speed}${rest}`
  }
}

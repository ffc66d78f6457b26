// A training as a command has seen it so far.
import type { FineTuningEvent, FineTuningJob } from '@atoll/platform/resources/fine-tuning/schema'

export interface LossPoint {
  step: number
  loss: number
}

export interface WatchedJob {
  job: FineTuningJob
  events: FineTuningEvent[]
  steps: number
  /** Absent until the first step. */
  step: number | undefined
  trainedTokens: number
  train: LossPoint[]
  validation: LossPoint[]
}

export const firstLook = (job: FineTuningJob): WatchedJob => ({
  ...{ job, events: [], steps: 0, step: undefined, trainedTokens: 0, train: [], validation: [] },
})

export const isEnded = ({ job: { status } }: WatchedJob): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'cancelled'

/** What the platform tells with each step. */
interface Metrics {
  step: number
  total_steps: number
  train_loss: number
  full_valid_loss?: number
  valid_loss?: number
  trained_tokens?: number
}

export function withNews(before: WatchedJob, job: FineTuningJob, news: readonly FineTuningEvent[]): WatchedJob {
  const after = { ...before, job, events: [...before.events, ...news] }
  for (const { type, data } of news) {
    if (type !== 'metrics' || data === null) continue
    const { step, total_steps, train_loss, valid_loss, full_valid_loss, trained_tokens } = data as unknown as Metrics
    const measured = full_valid_loss ?? valid_loss
    after.train = [...after.train, { step, loss: train_loss }]
    if (measured !== undefined) after.validation = [...after.validation, { step, loss: measured }]
    after.step = step
    after.steps = total_steps
    after.trainedTokens = trained_tokens ?? after.trainedTokens
  }
  return after
}

// The results of a training as a table: a line for each step.
import type { StepMeasures } from '@atoll/trainer/train/training'
import type { CheckpointMetrics } from './schema.ts'

const columns = ['step', 'train_loss', 'train_accuracy', 'valid_loss', 'valid_mean_token_accuracy'] as const

const rounded = (value: number): number => Number(value.toFixed(5))

export const metricsOf = ({ step, train, valid, fullValid }: StepMeasures): CheckpointMetrics => ({
  step,
  train_loss: rounded(train.loss),
  train_mean_token_accuracy: rounded(train.accuracy),
  ...(valid && { valid_loss: rounded(valid.loss), valid_mean_token_accuracy: rounded(valid.accuracy) }),
  ...(fullValid && {
    full_valid_loss: rounded(fullValid.loss),
    full_valid_mean_token_accuracy: rounded(fullValid.accuracy),
  }),
})

export function resultsTable(measures: readonly StepMeasures[]): string {
  const lines = measures.map((one) => {
    const { train_mean_token_accuracy: train_accuracy, ...metrics } = metricsOf(one)
    const values = { ...metrics, train_accuracy }
    return columns.map((column) => values[column] ?? '').join(',')
  })
  return `${[columns.join(','), ...lines].join('\n')}\n`
}

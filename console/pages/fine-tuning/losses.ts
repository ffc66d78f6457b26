// The losses that a job's events tell, step by step.
import type { FineTuningEvent } from '../../api/types.ts'

export interface Losses {
  steps: number[]
  curves: { name: string; values: (number | null)[] }[]
}

const names = { train_loss: 'of the examples', valid_loss: 'of those it was not shown' } as const

export function lossesOf(events: readonly FineTuningEvent[]): Losses {
  const measured = events
    .flatMap(({ data }) => (typeof data?.step === 'number' ? [{ ...data, step: data.step }] : []))
    .sort((one, other) => one.step - other.step) as ({ step: number } & Record<string, unknown>)[]
  const curves = Object.entries(names).map(([key, name]) => ({
    name,
    values: measured.map((one) => (typeof one[key] === 'number' ? one[key] : null)),
  }))
  return {
    steps: measured.map(({ step }) => step),
    curves: curves.filter(({ values }) => values.some((value) => value !== null)),
  }
}

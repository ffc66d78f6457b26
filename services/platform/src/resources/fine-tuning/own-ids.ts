// Words of the server that trains, as they are told on: what they name by its ids has others here.
import { checkpointName, modelName } from './ledger.ts'
import type { FineTuningJobRow } from './store.ts'

/** What the server calls a job and what belongs to it, as far as it is known. */
export interface TheirIds {
  /** The base. */
  model: string
  training_file?: string
  validation_file?: string
  job?: string
}

const fineTuned = /\bft:[\w.:/-]*\w/g
const checkpointStep = /:ckpt-step-(\d+)$/

export function inOwnIds(text: string, row: FineTuningJobRow, theirs: TheirIds): string {
  const pairs = [
    [theirs.training_file, row.training_file],
    [theirs.validation_file, row.validation_file],
    [theirs.job, row.id],
  ] as const
  const named = pairs.reduce(
    (words, [their, own]) => (their === undefined || own === null ? words : words.replaceAll(their, own)),
    text.replace(fineTuned, (id) => {
      const step = checkpointStep.exec(id)?.[1]
      return step === undefined ? modelName(row) : checkpointName(row, Number(step))
    }),
  )
  return named.replace(baseNamed(theirs.model), (_, before: string) => before + row.model)
}

/** An id can be a common word: it is the model's where it is quoted, or is called a model. */
const baseNamed = (model: string): RegExp =>
  new RegExp(`(\\bmodels?:? ['"\`]?|['"\`])${RegExp.escape(model)}(?!\\.?[\\w:/-])`, 'gi')

// What went wrong with a model, for the caller, unless the caller is gone.
import { completionErrors } from '../errors/completions.ts'
import { answerModelProblem } from './problem-answer.ts'

export function failModel(error: unknown, signal: AbortSignal): never {
  if (signal.aborted) throw completionErrors.callerLeft()
  return answerModelProblem(error)
}

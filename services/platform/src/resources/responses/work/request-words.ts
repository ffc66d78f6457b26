// What a model says is wrong, in the words of this interface: it knows its own parameters, not the caller's.
import { ModelProblem } from '@atoll/models/problem'

const names: [RegExp, string][] = [
  [/^messages(\b.*)?$/, 'input'],
  [/^reasoning_effort$/, 'reasoning.effort'],
  [/^verbosity$/, 'text.verbosity'],
  [/^response_format(\b.*)?$/, 'text.format'],
  [/^max_(completion_)?tokens$/, 'max_output_tokens'],
  [/^logprobs$/, 'top_logprobs'],
]

export function inRequestWords(error: unknown): unknown {
  if (!(error instanceof ModelProblem) || !('param' in error.detail)) return error
  const { param } = error.detail
  const [, name] = names.find(([pattern]) => pattern.test(param)) ?? []
  return name === undefined ? error : new ModelProblem(error.message, { ...error.detail, param: name })
}

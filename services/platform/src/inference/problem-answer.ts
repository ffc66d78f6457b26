// Turns what a model runtime throws into an error of the catalogue.
import type { HttpError } from '@atoll/kernel/http/error'
import { ModelProblem, type ModelProblemDetail } from '@atoll/models/problem'
import { inferenceErrors } from '../errors/errors.ts'

type Upstream = Extract<ModelProblemDetail, { kind: 'upstream' }>

const passedOn = [400, 404, 409, 413, 422, 429]
const defaultRetrySeconds = 1
const maxMessageCharacters = 2_000

/** For `.catch`: anything that is no problem of a model is thrown again as it is, a client that left included. */
export function answerModelProblem(error: unknown): never {
  if (!(error instanceof ModelProblem)) throw error
  const answer = toError(error)
  // Faults on our side come with their cause, which the log tells and the caller does not see.
  if (answer.status >= 500) answer.cause = error
  throw answer
}

function toError(problem: ModelProblem): HttpError {
  const { message, detail } = problem
  switch (detail.kind) {
    case 'overloaded':
      return inferenceErrors.overloaded(message, Math.max(1, Math.ceil(detail.retryAfterSeconds)))
    case 'not_installed':
      return inferenceErrors.notInstalled(message)
    case 'context_length':
      return inferenceErrors.contextLength(detail)
    case 'unsupported':
      return inferenceErrors.unsupported(message, detail.param)
    case 'invalid':
      return inferenceErrors.invalid(message, detail.param)
    case 'upstream':
      return upstreamError(detail)
    case 'failed':
      return inferenceErrors.failed()
  }
}

function upstreamError({ status, error, retryAfterSeconds }: Upstream): HttpError {
  const retry = { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds ?? defaultRetrySeconds))) }
  if (passedOn.includes(status)) {
    const code = error?.code == null ? null : String(error.code)
    const message = error?.message.slice(0, maxMessageCharacters) ?? `The model server answered with status ${status}.`
    const fields = { message, type: error?.type ?? 'invalid_request_error', param: error?.param ?? null, code }
    return inferenceErrors.refusedUpstream(status, fields, status === 429 ? retry : {})
  }
  // Its words may name our key or its inner addresses: they stay in the log.
  if (status === 401 || status === 403) {
    return inferenceErrors.failedUpstream(
      502,
      'The model server behind this one refused the credentials that this server is configured with. Whoever runs this server has to correct them.',
      { 'x-should-retry': 'false' },
    )
  }
  if (status === 503 || status === 529) {
    return inferenceErrors.failedUpstream(503, 'The model server behind this one is overloaded or away.', retry)
  }
  return inferenceErrors.failedUpstream(502, 'The model server behind this one failed. Please try again.')
}

// Why the work of a run or a response has failed, in words for its caller.
import { HttpError } from '@atoll/kernel/http/error'
import { ModelProblem } from '@atoll/models/problem'
import { responseErrors } from '../errors/responses.ts'
import { answerModelProblem } from '../inference/problem-answer.ts'
import { ToolFailure } from './tools/hosted-tool.ts'

export interface Failure {
  code: 'server_error' | 'rate_limit_exceeded' | 'invalid_prompt'
  message: string
}

/** The caller's own doing, in words. */
export class LoopFailure extends Error {
  override readonly name = 'LoopFailure'
  readonly code: Failure['code']

  constructor(code: Failure['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Undefined: nothing that can be told; the attempt has failed, and the next one may not. */
export function toFailure(error: unknown): Failure | undefined {
  if (error instanceof LoopFailure || error instanceof ToolFailure) return { code: error.code, message: error.message }
  if (error instanceof ModelProblem) return toFailure(httpErrorOf(error))
  if (!(error instanceof HttpError)) return undefined
  return { code: codeOf(error.status), message: error.message }
}

/** For those who wait for the work: as an error of the request. */
export function answerFailure(error: unknown): never {
  if (error instanceof LoopFailure || error instanceof ToolFailure) throw responseErrors.failed(error)
  return answerModelProblem(error)
}

function httpErrorOf(problem: ModelProblem): unknown {
  try {
    return answerModelProblem(problem)
  } catch (error) {
    return error
  }
}

/** Somebody else's server. */
const failedDependency = 424

function codeOf(status: number): Failure['code'] {
  if (status === 429) return 'rate_limit_exceeded'
  return status < 500 && status !== failedDependency ? 'invalid_prompt' : 'server_error'
}

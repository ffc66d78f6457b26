// What a run says of why it failed.
import { HttpError } from '@atoll/kernel/http/error'
import { ModelProblem } from '@atoll/models/problem'
import { answerModelProblem } from '../../../../inference/problem-answer.ts'
import type { RunError } from '../schema.ts'
import { ToolFailure } from '../tools/hosted-tool.ts'

/** The caller's own doing, in words. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure'
  readonly code: RunError['code']

  constructor(code: RunError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Undefined: nothing the run can tell; the attempt has failed, and the next one may not. */
export function toRunError(error: unknown): RunError | undefined {
  if (error instanceof RunFailure || error instanceof ToolFailure) return { code: error.code, message: error.message }
  if (error instanceof ModelProblem) return toRunError(httpErrorOf(error))
  if (!(error instanceof HttpError)) return undefined
  return { code: codeOf(error.status), message: error.message }
}

function httpErrorOf(problem: ModelProblem): unknown {
  try {
    return answerModelProblem(problem)
  } catch (error) {
    return error
  }
}

function codeOf(status: number): RunError['code'] {
  if (status === 429) return 'rate_limit_exceeded'
  return status < 500 ? 'invalid_prompt' : 'server_error'
}

// Why a job ends without a model, in words for whoever began it. Another try would end the same way.
import type { JobError } from './schema.ts'

export class JobFailure extends Error {
  override readonly name = 'JobFailure'
  readonly error: JobError

  constructor(code: string, message: string, param: string | null = null) {
    super(message)
    this.error = { code, message, param }
  }
}

/** What went wrong below, where it is nothing that passes. Undefined: it may go better the next time. */
export function failureOf(error: unknown): JobFailure | undefined {
  if (error instanceof JobFailure) return error
  if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') return undefined
  return new JobFailure('training_failed', 'The disk of this server is full.')
}

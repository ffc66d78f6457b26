// What went wrong, as BuildKit's clients are told.
import { HttpError } from '@atoll/kernel/http/error'
import { BuildFailure, CommandFailure } from '../build/failure.ts'
import { GrpcFailure } from '../grpc/status.ts'

export function failureWords(error: unknown): string {
  if (error instanceof CommandFailure) {
    return `process "${error.argv.join(' ')}" did not complete successfully: exit code: ${error.code}`
  }
  if (error instanceof BuildFailure || error instanceof HttpError || error instanceof GrpcFailure) return error.message
  if (error instanceof Error && error.name === 'AbortError') return 'context canceled'
  return 'internal error'
}

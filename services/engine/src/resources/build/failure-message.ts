// The last line of a build that failed.
import { HttpError } from '@atoll/kernel/http/error'
import { BuildFailure } from '../../build/failure.ts'
import type { BuildMessage } from '../../build/messages.ts'

export function failureMessage(error: unknown): BuildMessage {
  if (error instanceof BuildFailure) {
    const { message, code } = error
    return { errorDetail: { ...(code !== undefined && { code }), message }, error: message }
  }
  const message = error instanceof HttpError ? error.message : 'internal error'
  return { errorDetail: { message }, error: message }
}

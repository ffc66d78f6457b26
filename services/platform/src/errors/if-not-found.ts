// For those who can go on without what is not there.
import { HttpError } from '@atoll/kernel/http/error'

/** For `catch`: undefined in place of what was not found; any other error passes. */
export function ifNotFound(error: unknown): undefined {
  if (!(error instanceof HttpError && error.status === 404)) throw error
}

// Which failures end the work on a file, and in which words its owner reads of them.
import { DocumentProblem } from '@atoll/documents/documents'
import { HttpError } from '@atoll/kernel/http/error'
import type { FileProblem } from '../files/schema.ts'

/** The file was given up, or another node went on with it. */
export class Conflict extends Error {
  override readonly name = 'Conflict'

  constructor() {
    super('The file was changed by someone else.')
  }
}

/** Undefined: it may go well the next time. */
export const finalProblem = (error: unknown): FileProblem | undefined =>
  isPassing(error) ? undefined : lastProblem(error)

/** When it is not tried any more. What is no one's business but the server's stays in its log. */
export function lastProblem(error: unknown): FileProblem {
  if (error instanceof DocumentProblem) return { code: error.code, message: error.message }
  const code = 'server_error'
  if (error instanceof HttpError) return { code, message: `The file could not be embedded: ${error.message}` }
  return { code, message: 'The file could not be processed because of a fault in the server. Add it again later.' }
}

function isPassing(error: unknown): boolean {
  if (error instanceof DocumentProblem) return error.mayPass
  if (!(error instanceof HttpError)) return true
  return error.status === 429 || (error.status >= 500 && error.headers['x-should-retry'] !== 'false')
}

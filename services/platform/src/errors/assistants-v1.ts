// Errors of the first form of the assistants interface that the second does not have.
import { HttpError } from '@atoll/kernel/http/error'
import { platformError } from './errors.ts'

export const assistantV1Errors = {
  tooManyFiles: (maxFiles: number) =>
    platformError(400, {
      message: `An assistant has at most ${maxFiles} files. Detach files that it no longer needs, then try again.`,
      param: 'file_ids',
      code: 'array_above_max_length',
    }),
}

/** What is wrong with attachments is, for one who sent `file_ids`, wrong with those. */
export async function inWordsOfV1<Answer>(work: Promise<Answer>): Promise<Answer> {
  try {
    return await work
  } catch (error) {
    throw error instanceof HttpError ? withFileIds(error) : error
  }
}

function withFileIds(refused: HttpError): HttpError {
  const { error } = refused.body as { error: Record<string, string | null> }
  if (error.param !== 'attachments') return refused
  return new HttpError(refused.status, refused.message, { error: { ...error, param: 'file_ids' } }, refused.headers)
}

// Every error of assistants, threads and messages.
import type { HttpError } from '@atoll/kernel/http/error'
import { platformError } from './errors.ts'

const notFound = (what: string, id: string): HttpError =>
  platformError(404, { message: `No ${what} found with id '${id}'.` })

export const assistantErrors = {
  noSuchAssistant: (id: string) => notFound('assistant', id),
  noSuchThread: (id: string) => notFound('thread', id),
  noSuchMessage: (id: string) => notFound('message', id),
  noSuchFile: (id: string) => notFound('file', id),
  notForTools: (id: string, purpose: string) =>
    platformError(400, {
      message: `The file ${id} has the purpose '${purpose}'. Upload files for tools with the purpose 'assistants'.`,
      code: 'invalid_purpose',
    }),
  notForImages: (id: string, purpose: string) =>
    platformError(400, {
      message: `The file ${id} has the purpose '${purpose}'. Upload images with the purpose 'vision'.`,
      code: 'invalid_purpose',
    }),
  notAnImage: (filename: string) =>
    platformError(400, {
      message: `The file '${filename}' is no image: its name must end in .jpeg, .jpg, .png, .gif or .webp.`,
      code: 'unsupported_file',
    }),
  tooManyCodeFiles: (maxFiles: number) =>
    platformError(400, {
      message: `A thread has at most ${maxFiles} files for the tool 'code_interpreter', those of all messages together.`,
      param: 'attachments',
      code: 'array_above_max_length',
    }),
  threadFull: (maxMessages: number) =>
    platformError(400, {
      message: `A thread has at most ${maxMessages} messages. Delete messages, or start another thread.`,
      code: 'thread_full',
    }),
  messageInProgress: (id: string, runId: string | null) =>
    platformError(400, { message: `Can't delete message ${id} while the run ${runId} is writing it.` }),
  threadBusy: (threadId: string, runId: string) =>
    platformError(400, { message: `Can't add messages to ${threadId} while a run ${runId} is active.` }),
}

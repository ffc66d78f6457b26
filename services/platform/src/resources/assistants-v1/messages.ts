// Messages and their files, on top of those that know attachments.
import type { PageQuery } from '@atoll/kernel/db/page'
import type { ProjectCaller } from '../../callers.ts'
import type { ListEnvelope } from '../../conventions/lists.ts'
import { assistantErrors } from '../../errors/assistants.ts'
import { inWordsOfV1 } from '../../errors/assistants-v1.ts'
import type { MessageObject, UpdateMessage } from '../threads/messages/schema.ts'
import type { Messages } from '../threads/messages/service.ts'
import type { RunSteps } from '../threads/runs/steps/service.ts'
import { filePage } from './file-page.ts'
import { filesOf, messageToV1, messageToV2 } from './message-form.ts'
import type { CreateMessageV1, MessageFileObject, MessageV1 } from './message-schema.ts'
import { Quotes } from './quotes.ts'

interface Parts {
  messages: Messages
  steps: RunSteps
}

export class MessagesV1 {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async create(caller: ProjectCaller, threadId: string, request: CreateMessageV1): Promise<MessageV1> {
    const made = inWordsOfV1(this.#parts.messages.create(caller, threadId, messageToV2(request)))
    return this.#shown(caller, await made)
  }

  async list(
    caller: ProjectCaller,
    threadId: string,
    page: PageQuery & { run_id?: string | undefined },
  ): Promise<ListEnvelope<MessageV1>> {
    const { messages, steps } = this.#parts
    const found = await messages.list(caller, threadId, page)
    const quotes = new Quotes(steps, caller)
    const data: MessageV1[] = []
    for (const message of found.data) data.push(messageToV1(message, await quotes.of(message)))
    return { ...found, data }
  }

  async get(caller: ProjectCaller, threadId: string, id: string): Promise<MessageV1> {
    return this.#shown(caller, await this.#parts.messages.get(caller, threadId, id))
  }

  async update(caller: ProjectCaller, threadId: string, id: string, request: UpdateMessage): Promise<MessageV1> {
    return this.#shown(caller, await this.#parts.messages.update(caller, threadId, id, request))
  }

  async listFiles(
    caller: ProjectCaller,
    threadId: string,
    id: string,
    page: PageQuery,
  ): Promise<ListEnvelope<MessageFileObject>> {
    return filePage(filesWith(await this.#parts.messages.get(caller, threadId, id)), page)
  }

  async getFile(caller: ProjectCaller, threadId: string, id: string, fileId: string): Promise<MessageFileObject> {
    const files = filesWith(await this.#parts.messages.get(caller, threadId, id))
    const file = files.find((one) => one.id === fileId)
    if (file === undefined) throw assistantErrors.noSuchFile(fileId)
    return file
  }

  async #shown(caller: ProjectCaller, message: MessageObject): Promise<MessageV1> {
    return messageToV1(message, await new Quotes(this.#parts.steps, caller).of(message))
  }
}

/** They came with the message. */
const filesWith = (message: MessageObject): MessageFileObject[] =>
  filesOf(message).map((id) => ({
    id,
    object: 'thread.message.file',
    created_at: message.created_at,
    message_id: message.id,
  }))

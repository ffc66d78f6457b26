// Threads and their messages, as tests make and read them.

import type { ListEnvelope } from '../../../../conventions/lists.ts'
import { ask } from '../../../../testing/assistant-requests.ts'
import type { TestPlatform } from '../../../../testing/describe-platform.ts'
import { checkPublished } from '../../../../testing/published-schemas.ts'
import type { ThreadObject } from '../../schema.ts'
import type { MessageObject } from '../schema.ts'

export const newThread = async (platform: TestPlatform, body: object = {}): Promise<string> =>
  (await ask<ThreadObject>(platform, 'POST', '/v1/threads', body)).id

export const pathOf = (threadId: string): string => `/v1/threads/${threadId}/messages`

export async function newMessage(
  platform: TestPlatform,
  threadId: string,
  fields: object = {},
): Promise<MessageObject> {
  const body = { role: 'user', content: 'Hello', ...fields }
  const message = await ask<MessageObject>(platform, 'POST', pathOf(threadId), body)
  checkPublished('MessageObject', message)
  return message
}

export const listMessages = (platform: TestPlatform, threadId: string, query = '') =>
  ask<ListEnvelope<MessageObject>>(platform, 'GET', `${pathOf(threadId)}?${query}`)

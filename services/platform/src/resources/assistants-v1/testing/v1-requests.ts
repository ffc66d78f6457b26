// Requests of the first form of the assistants interface as raw HTTP; every answer and every event is checked to be of
// that form, and nothing more.
import { expect } from 'vitest'
import { z } from 'zod'
import type { ListEnvelope } from '../../../conventions/lists.ts'
import { ask } from '../../../testing/assistant-requests.ts'
import { eventsOf } from '../../../testing/chat-requests.ts'
import type { TestPlatform } from '../../../testing/describe-platform.ts'
import { type ErrorBody, errorOf } from '../../../testing/requests.ts'
import type { StreamedEvent } from '../../../testing/run-requests.ts'
import { waitUntil } from '../../../testing/wait-until.ts'
import type { MessageObject } from '../../threads/messages/schema.ts'
import { MessageV1, ThreadV1 } from '../message-schema.ts'
import { RunStepV1, RunV1 } from '../run-schema.ts'
import { AssistantV1 } from '../schema.ts'

type Method = 'GET' | 'POST' | 'DELETE'

export const assistantsV1 = { 'openai-beta': 'assistants=v1' }

/** By `object`: what it may have, and nothing else. */
const forms: Record<string, z.ZodType> = {
  assistant: z.strictObject(AssistantV1.shape),
  thread: z.strictObject(ThreadV1.shape),
  'thread.message': z.strictObject(MessageV1.shape),
  'thread.run': z.strictObject(RunV1.shape),
  'thread.run.step': z.strictObject(RunStepV1.shape),
}

function checkForm(value: unknown): void {
  const { object, data } = value as { object?: string; data?: unknown[] }
  if (object === 'list') for (const item of data ?? []) checkForm(item)
  else if (object !== undefined) forms[object]?.parse(value)
}

const send = (platform: TestPlatform, method: Method, path: string, body?: object) =>
  platform.request(method, path, {
    headers: { ...assistantsV1, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })

/** The answer of a request that works. */
export async function askV1<Answer>(
  platform: TestPlatform,
  method: Method,
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await send(platform, method, path, body)
  const answer: unknown = await response.json()
  expect([response.status, answer]).toEqual([200, answer])
  checkForm(answer)
  return answer as Answer
}

/** What is said to a request that does not. */
export async function refusalV1(
  platform: TestPlatform,
  method: Method,
  path: string,
  body?: object,
): Promise<ErrorBody & { status: number }> {
  const response = await send(platform, method, path, body)
  return { status: response.status, ...(await errorOf(response)) }
}

export const listV1 = <Item>(platform: TestPlatform, path: string): Promise<ListEnvelope<Item>> =>
  askV1(platform, 'GET', path)

export const newAssistantV1 = (platform: TestPlatform, fields: object = {}): Promise<AssistantV1> =>
  askV1(platform, 'POST', '/v1/assistants', { model: 'gpt-4-turbo', ...fields })

/** A thread with one message of a user. */
export const newThreadV1 = (platform: TestPlatform, content = 'Hello'): Promise<ThreadV1> =>
  askV1(platform, 'POST', '/v1/threads', { messages: [{ role: 'user', content }] })

/** The run once it has ended, or waits for outputs. */
export async function settledV1(platform: TestPlatform, run: RunV1, timeoutMs = 20_000): Promise<RunV1> {
  let latest = run
  await waitUntil(async () => {
    latest = await askV1<RunV1>(platform, 'GET', `/v1/threads/${run.thread_id}/runs/${run.id}`)
    return !['queued', 'in_progress', 'cancelling'].includes(latest.status)
  }, timeoutMs)
  return latest
}

/** All events of a stream. */
export async function streamedV1(platform: TestPlatform, path: string, body: object): Promise<StreamedEvent[]> {
  const response = await platform.post(path, { stream: true, ...body }, assistantsV1)
  const text = await response.text()
  expect([response.status, text]).toEqual([200, text])
  const names = [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name ?? '')
  return eventsOf(text).map((one, index) => {
    const data = one === '[DONE]' ? one : JSON.parse(one)
    if (data !== '[DONE]') checkForm(data)
    return { event: names[index] ?? '', data }
  })
}

/** As the second form shows it. */
export const messageV2 = (platform: TestPlatform, { thread_id, id }: MessageV1): Promise<MessageObject> =>
  ask(platform, 'GET', `/v1/threads/${thread_id}/messages/${id}`)

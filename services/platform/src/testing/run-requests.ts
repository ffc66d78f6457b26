// Runs as tests see them: created, waited for, streamed; every object is checked against the published schemas.

import type { ListEnvelope } from '../conventions/lists.ts'
import type { AssistantObject } from '../resources/assistants/schema.ts'
import type { MessageObject } from '../resources/threads/messages/schema.ts'
import type { RunObject } from '../resources/threads/runs/schema.ts'
import type { RunStepObject } from '../resources/threads/runs/steps/schema.ts'
import type { ThreadObject } from '../resources/threads/schema.ts'
import { ask, assistantsV2 } from './assistant-requests.ts'
import { eventsOf } from './chat-requests.ts'
import { checkPublished } from './published-schemas.ts'
import type { TestPlatform } from './test-platform.ts'
import { waitUntil } from './wait-until.ts'

export const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather now',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

export const newAssistant = (platform: TestPlatform, fields: object = {}): Promise<AssistantObject> =>
  ask(platform, 'POST', '/v1/assistants', { model: 'gpt-4o', ...fields })

/** With these messages of a user. */
export const newThread = (platform: TestPlatform, ...messages: string[]): Promise<ThreadObject> =>
  ask(platform, 'POST', '/v1/threads', { messages: messages.map((content) => ({ role: 'user', content })) })

export const runsPath = (threadId: string, runId = '', rest = ''): string =>
  `/v1/threads/${threadId}/runs${runId && `/${runId}`}${rest}`

export async function newRun(platform: TestPlatform, threadId: string, body: object): Promise<RunObject> {
  const run = await ask<RunObject>(platform, 'POST', runsPath(threadId), body)
  checkPublished('RunObject', run)
  return run
}

export async function getRun(platform: TestPlatform, { thread_id, id }: RunObject): Promise<RunObject> {
  const run = await ask<RunObject>(platform, 'GET', runsPath(thread_id, id))
  checkPublished('RunObject', run)
  return run
}

const unsettled = ['queued', 'in_progress', 'cancelling']

/** The run once it has ended, or waits for outputs. */
export async function settled(platform: TestPlatform, run: RunObject, timeoutMs = 20_000): Promise<RunObject> {
  let latest = run
  await waitUntil(async () => {
    latest = await getRun(platform, run)
    return !unsettled.includes(latest.status)
  }, timeoutMs)
  return latest
}

/** From nothing to a run that has settled. */
export async function runOnce(
  platform: TestPlatform,
  { assistant = {}, run = {}, messages = ['Hello'] }: { assistant?: object; run?: object; messages?: string[] } = {},
): Promise<RunObject> {
  const { id } = await newAssistant(platform, assistant)
  const thread = await newThread(platform, ...messages)
  return settled(platform, await newRun(platform, thread.id, { assistant_id: id, ...run }))
}

/** Oldest first. */
export async function messagesOf(platform: TestPlatform, threadId: string): Promise<MessageObject[]> {
  const list = await ask<ListEnvelope<MessageObject>>(platform, 'GET', `/v1/threads/${threadId}/messages?order=asc`)
  for (const message of list.data) checkPublished('MessageObject', message)
  return list.data
}

export const textOf = ({ content }: MessageObject): string =>
  content.map((part) => (part.type === 'text' ? part.text.value : `[${part.type}]`)).join('')

/** Oldest first. */
export async function stepsOf(
  platform: TestPlatform,
  { thread_id, id }: RunObject,
  query = '',
): Promise<RunStepObject[]> {
  const path = runsPath(thread_id, id, `/steps?order=asc${query}`)
  const list = await ask<ListEnvelope<RunStepObject>>(platform, 'GET', path)
  for (const step of list.data) checkPublished('RunStepObject', step)
  return list.data
}

export interface StreamedEvent {
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect to be there
  data: any
}

const schemas: [RegExp, string][] = [
  [/^thread\.created$/, 'ThreadObject'],
  [/^thread\.run\.step\.delta$/, 'RunStepDeltaObject'],
  [/^thread\.run\.step\./, 'RunStepObject'],
  [/^thread\.run\./, 'RunObject'],
  [/^thread\.message\.delta$/, 'MessageDeltaObject'],
  [/^thread\.message\./, 'MessageObject'],
  [/^error$/, 'Error'],
]

/** All events of a stream; each has a name and data. */
export async function streamed(platform: TestPlatform, path: string, body: object): Promise<StreamedEvent[]> {
  const response = await platform.post(path, { stream: true, ...body }, assistantsV2)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`)
  return readEvents(text)
}

export function readEvents(text: string): StreamedEvent[] {
  const names = [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name ?? '')
  const data = eventsOf(text)
  if (names.length !== data.length) throw new Error(`An event has no name, or no data: ${text}`)
  return data.map((one, index) => {
    const event = names[index] ?? ''
    const read = one === '[DONE]' ? one : JSON.parse(one)
    const [, schema] = schemas.find(([pattern]) => pattern.test(event)) ?? []
    if (schema !== undefined) checkPublished(schema, read)
    return { event, data: read }
  })
}

/** Their names, with how often each came in a row. */
export function namesOf(events: readonly StreamedEvent[]): string[] {
  const names: string[] = []
  for (const { event } of events) if (!event.endsWith('.delta') || names.at(-1) !== event) names.push(event)
  return names
}

// Sends chat requests as programs do, and checks every answer and every chunk against the published schemas.
import type { ChatCompletion } from '../resources/chat/completions/answer/schema.ts'
import { checkPublished } from './published-schemas.ts'
import type { TestPlatform } from './test-platform.ts'

interface Chunk {
  id: string
  object: string
  created: number
  model: string
  system_fingerprint: string
  service_tier?: string
  choices: {
    index: number
    delta: {
      role?: string
      content?: string | null
      tool_calls?: { index: number; id?: string; type?: string; function: { name?: string; arguments?: string } }[]
      function_call?: { name?: string; arguments?: string }
    }
    logprobs: ChatCompletion['choices'][number]['logprobs']
    finish_reason: string | null
  }[]
  usage?: ChatCompletion['usage'] | null
}

const basics = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Tell me about the sea' }] }

export const chatBody = (fields: object = {}): object => ({ ...basics, max_tokens: 12, ...fields })

export async function complete(platform: TestPlatform, fields: object = {}): Promise<ChatCompletion> {
  const response = await platform.post('/v1/chat/completions', chatBody(fields))
  const body: unknown = await response.json()
  if (response.status !== 200) throw new Error(`${response.status}: ${JSON.stringify(body)}`)
  checkPublished('CreateChatCompletionResponse', body)
  return body as ChatCompletion
}

/** The text of the only choice. */
export async function completeText(platform: TestPlatform, fields: object = {}): Promise<string> {
  return (await complete(platform, fields)).choices[0]?.message.content ?? ''
}

interface Streamed {
  /** As it came over the wire. */
  text: string
  chunks: Chunk[]
}

export async function stream(platform: TestPlatform, fields: object = {}): Promise<Streamed> {
  const response = await platform.post('/v1/chat/completions', chatBody({ stream: true, ...fields }))
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`)
  const chunks = eventsOf(text)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as Chunk)
  for (const chunk of chunks) checkPublished('CreateChatCompletionStreamResponse', chunk)
  return { text, chunks }
}

/** The data of every event, by the rules of server-sent events. */
export function eventsOf(text: string): string[] {
  const events: string[] = []
  const lines: string[] = []
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line.startsWith('data:')) lines.push(line.slice(line.startsWith('data: ') ? 6 : 5))
    else if (line === '' && lines.length > 0) events.push(lines.splice(0).join('\n'))
  }
  if (lines.length > 0) throw new Error('The last event has no end.')
  return events
}

export const streamedText = (chunks: readonly Chunk[], index = 0): string =>
  chunks
    .flatMap(({ choices }) => choices)
    .filter((choice) => choice.index === index)
    .map(({ delta }) => delta.content ?? '')
    .join('')

// Streams one chat answer with nothing but fetch, and notes when its tokens came.
import type { AtollServer } from './atoll-server.ts'

interface Chat {
  begin?: string
  words: number
  end?: string
  maxTokens: number
  greedy?: boolean
  prediction?: string
}

export interface Measured {
  startedAt: number
  firstAt: number
  endedAt: number
  tokens: number
  cachedTokens: number
  text: string
}

/** No end and no lone bytes: all that is said can be read back. */
const neverEnds = Object.fromEntries(Array.from({ length: 261 }, (_, token) => [token, -100]))

export async function streamChat({ url, apiKey }: Pick<AtollServer, 'url' | 'apiKey'>, chat: Chat): Promise<Measured> {
  const content = `${chat.begin ?? ''}${'word '.repeat(chat.words)}${chat.end ?? ''}`
  const body = {
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content }],
    max_tokens: chat.maxTokens,
    seed: chat.words,
    ...(chat.greedy ? { temperature: 0 } : {}),
    ...(chat.prediction ? { prediction: { type: 'content', content: chat.prediction } } : {}),
    logit_bias: neverEnds,
    stream: true,
    stream_options: { include_usage: true },
  }
  const startedAt = performance.now()
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok || response.body === null) throw new Error(`${response.status}: ${await response.text()}`)
  let text = ''
  let firstAt = 0
  for await (const bytes of response.body.pipeThrough(new TextDecoderStream())) {
    text += bytes
    if (firstAt === 0 && /"delta":\{[^}]*"content":"[^"]/.test(text)) firstAt = performance.now()
  }
  const usage = JSON.parse(/"usage":(\{"prompt_tokens".*?\}\})/.exec(text)?.[1] ?? 'null')
  return {
    startedAt,
    firstAt,
    endedAt: performance.now(),
    tokens: usage.completion_tokens - usage.completion_tokens_details.rejected_prediction_tokens,
    cachedTokens: usage.prompt_tokens_details.cached_tokens,
    text: spoken(text),
  }
}

const spoken = (stream: string): string =>
  [...stream.matchAll(/"delta":\{"content":("(?:[^"\\]|\\.)*")\}/g)]
    .map(([, json]) => JSON.parse(json ?? '""'))
    .join('')

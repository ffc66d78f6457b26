// A model server that writes a long answer in Markdown, a token at a time, as fast as a good one does.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'

const tokensPerTick = 2
const tickMs = 10

export const answerTokens = 2_000

export async function startWritingModel(): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    request.resume()
    void write(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v1`, close: () => server.close() }
}

async function write(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let at = 0; at < answerTokens; at += tokensPerTick) {
    for (let token = at; token < at + tokensPerTick; token++) response.write(chunk({ content: tokenAt(token) }))
    await setTimeout(tickMs)
  }
  const usage = { prompt_tokens: 10, completion_tokens: answerTokens, total_tokens: answerTokens + 10 }
  response.write(chunk({}, { usage, finish: 'stop' }))
  response.end('data: [DONE]\n\n')
}

function chunk(delta: object, { usage, finish = null }: { usage?: object; finish?: string | null } = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  const object = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'stub', choices, usage }
  return `data: ${JSON.stringify(object)}\n\n`
}

/** Headings, lists, bold words and code, so that the page has to lay out what real answers have. */
function tokenAt(index: number): string {
  const place = index % 100
  if (place === 0) return `\n\n## Part ${index / 100 + 1}\n\n`
  if (place === 50) return '\n\n- a **point**\n- another\n\n'
  if (place === 70) return '\n\n```js\n'
  if (place === 85) return '\n```\n\n'
  return place > 70 && place < 85 ? `call(${index}); ` : 'lighthouse '
}

// A chat model that reads all it is given and knows what to say: when the passage that a question needs is among it, it
// answers, and adds a sentence that no file says. Everything it says it says in words of its own.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { DocumentationQuestion } from './collections.ts'
import { squeezed } from './measure-search.ts'

export const notGiven = 'I was not given what it takes to answer.'

const common = { id: 'chatcmpl-reader', object: 'chat.completion.chunk', created: 1_735_689_600, model: 'reader' }
const usage = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 }

export interface Reader {
  url: string
  close(): void
}

export async function startReader(questions: readonly DocumentationQuestion[]): Promise<Reader> {
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[]}')
      return
    }
    const { messages } = (await json(request)) as { messages: { role: string; content: string }[] }
    const content = replyTo(questions, messages.findLast(({ role }) => role === 'user')?.content ?? '')
    const say = (delta: object, finish_reason: string | null): string =>
      `data: ${JSON.stringify({ ...common, choices: [{ index: 0, delta, logprobs: null, finish_reason }] })}\n\n`
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(say({ role: 'assistant', content }, null) + say({}, 'stop'))
    response.end(`data: ${JSON.stringify({ ...common, choices: [], usage })}\n\ndata: [DONE]\n\n`)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${portOf(server)}/v1`, close: () => server.close() }
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port

function replyTo(questions: readonly DocumentationQuestion[], said: string): string {
  const asked = questions.find(({ question }) => said.endsWith(question))
  if (asked === undefined || !squeezed(said).includes(squeezed(asked.passage))) return notGiven
  return `${asked.answer} ${asked.wrong}`.trim()
}

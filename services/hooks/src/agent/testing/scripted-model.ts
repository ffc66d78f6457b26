// A model server that speaks the usual interface, remembers what it was shown, and answers what a test tells it.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  model: string
  messages: { role: string; content: string | { text?: string }[] | null }[]
  tools?: { function: { name: string } }[]
  stream?: boolean
}

export type Answer =
  | string
  | { call: string; arguments: unknown; id?: string }
  | { status: number }
  /** Says nothing until then. */
  | { after: Promise<unknown>; text: string }

export class ScriptedModel {
  /** Every request, in order. */
  asked: Asked[] = []
  script: (asked: Asked) => Answer = () => 'Done.'
  readonly url: string
  readonly #close: () => Promise<void>

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url
    this.#close = close
  }

  static async start(): Promise<ScriptedModel> {
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      if (request.method === 'GET') response.end('{"object":"list","data":[]}')
      else await model.#answer(JSON.parse(body) as Asked, response)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const model: ScriptedModel = new ScriptedModel(`http://127.0.0.1:${port}/v1`, async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })
    return model
  }

  close(): Promise<void> {
    return this.#close()
  }

  /** The text of the newest message of the user that was shown, in the request at this place. */
  prompt(index = -1): string {
    const shown = this.asked.at(index)?.messages.filter(({ role }) => role === 'user') ?? []
    return textOf(shown.at(-1)?.content ?? '')
  }

  /** All that the model was shown in the request at this place. */
  all(index = -1): string {
    return (this.asked.at(index)?.messages ?? []).map(({ role, content }) => `${role}: ${textOf(content)}`).join('\n')
  }

  tools(index = -1): string[] {
    return (this.asked.at(index)?.tools ?? []).map((tool) => tool.function.name)
  }

  async #answer(asked: Asked, response: ServerResponse): Promise<void> {
    this.asked.push(asked)
    const answer = this.script(asked)
    if (typeof answer === 'object' && 'status' in answer) {
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end('{"error":{"message":"told to fail","type":"server_error","param":null,"code":null}}')
      return
    }
    if (typeof answer === 'object' && 'after' in answer) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      await answer.after
    }
    if (asked.stream === true) stream(response, answer)
    else
      response.end(JSON.stringify({ ...head, choices: [{ index: 0, message: whole(answer), finish_reason: 'stop' }] }))
  }
}

const head = {
  id: 'chatcmpl-1',
  created: 1,
  model: 'scripted',
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
}

type Said = Exclude<Answer, { status: number }>

function whole(answer: Said): object {
  if (typeof answer === 'string') return { role: 'assistant', content: answer }
  if ('text' in answer) return { role: 'assistant', content: answer.text }
  const { call, id = 'call_1' } = answer
  const tool = { id, type: 'function', function: { name: call, arguments: JSON.stringify(answer.arguments) } }
  return { role: 'assistant', content: null, tool_calls: [tool] }
}

function stream(response: ServerResponse, answer: Said): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
  const { tool_calls, ...message } = whole(answer) as { tool_calls?: object[] }
  const delta =
    tool_calls === undefined ? message : { ...message, tool_calls: tool_calls.map((call) => ({ index: 0, ...call })) }
  const say = (choice: object) =>
    response.write(
      `data: ${JSON.stringify({ ...head, usage: null, object: 'chat.completion.chunk', choices: [choice] })}\n\n`,
    )
  say({ index: 0, delta, finish_reason: null })
  say({ index: 0, delta: {}, finish_reason: tool_calls === undefined ? 'stop' : 'tool_calls' })
  response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [] })}\n\n`)
  response.end('data: [DONE]\n\n')
}

const textOf = (content: Asked['messages'][number]['content']): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('')

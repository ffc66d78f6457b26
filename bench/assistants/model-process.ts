// A chat model that does no work and tells when it did what: what it writes are the times of the machine's clock, so
// that whoever reads them knows how old they are. What it does is said by the last message.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { now, questions } from './clock.ts'

const thinkingMs = 20
const words = 16
const slowPieces = 40
const slowPieceMs = 25
const common = { id: 'chatcmpl-stub', object: 'chat.completion.chunk', created: 1_735_689_600, model: 'stub' }
const usage = { prompt_tokens: 9, completion_tokens: words, total_tokens: 9 + words }

interface Request {
  messages: { role: string; content: string }[]
}

const server = createServer(async (request, response) => {
  const receivedAt = now()
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[]}')
    return
  }
  const { messages } = (await json(request)) as Request
  const last = messages.at(-1)
  const question = last?.role === 'tool' ? '' : (last?.content ?? '')
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (question.includes(questions.code)) callCode(response)
  else if (question.includes(questions.slow)) await speakSlowly(response)
  else {
    if (question.includes(questions.thinking)) await setTimeout(thinkingMs)
    speak(response, receivedAt)
  }
  response.end(`data: ${JSON.stringify({ ...common, choices: [], usage })}\n\ndata: [DONE]\n\n`)
})

/** When it was asked, when it wrote the first piece, and when the last. */
function speak(response: ServerResponse, receivedAt: number): void {
  say(response, { role: 'assistant', content: `${receivedAt} ${now()} ` })
  for (let word = 0; word < words; word++) say(response, { content: 'word ' })
  say(response, { content: `${now()}` })
  say(response, {}, 'stop')
}

async function speakSlowly(response: ServerResponse): Promise<void> {
  for (let piece = 0; piece < slowPieces; piece++) {
    say(response, { content: 'word ' })
    await setTimeout(slowPieceMs)
  }
  say(response, {}, 'stop')
}

function callCode(response: ServerResponse): void {
  const code = { name: 'code_interpreter', arguments: JSON.stringify({ code: `print(${now()})` }) }
  say(response, { role: 'assistant', tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: code }] })
  say(response, {}, 'tool_calls')
}

function say(response: ServerResponse, delta: object, finish_reason: string | null = null): void {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason }]
  response.write(`data: ${JSON.stringify({ ...common, choices })}\n\n`)
}

server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.once('disconnect', () => process.exit())

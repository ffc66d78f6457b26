// A model server that answers at once, whole or as a stream, and counts what it answered.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { commonAddress } from './machines.ts'

export const answerText = 'Noted.'
export const tokensPerAnswer = 2
const promptTokens = 3
const usage = {
  prompt_tokens: promptTokens,
  completion_tokens: tokensPerAnswer,
  total_tokens: promptTokens + tokensPerAnswer,
}
const common = { id: 'chatcmpl-stub', created: 1, model: 'stub' }
const choice = { index: 0, logprobs: null }

export interface StubModel {
  /** Ends in /v1. */
  url: string
  readonly answered: number
  close(): void
}

export async function startStubModel(address = commonAddress): Promise<StubModel> {
  let answered = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      return // who asked is gone
    }
    answered++
    if (Buffer.concat(chunks).includes('"stream":true')) sendStream(response)
    else sendWhole(response)
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, address)
  await once(server, 'listening')
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}/v1`,
    get answered() {
      return answered
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function sendWhole(response: ServerResponse): void {
  const message = { role: 'assistant', content: answerText, refusal: null }
  const choices = [{ ...choice, message, finish_reason: 'stop' }]
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ ...common, object: 'chat.completion', choices, usage }))
}

function sendStream(response: ServerResponse): void {
  const piece = (choices: object[], more: object = {}): string =>
    `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices, ...more })}\n\n`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(piece([{ ...choice, delta: { role: 'assistant', content: answerText }, finish_reason: null }]))
  response.write(piece([{ ...choice, delta: {}, finish_reason: 'stop' }]))
  response.end(`${piece([], { usage })}data: [DONE]\n\n`)
}

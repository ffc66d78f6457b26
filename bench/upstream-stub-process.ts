// A model server that does no work: it answers chat completions with bytes made beforehand.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const streamedPieces = 16
const model = 'stub'
const created = 1_735_689_600
const common = { id: 'chatcmpl-stub', created, model, system_fingerprint: 'fp_stub' }
const text = 'The answer of a model server that does no work at all. '

const usage = {
  prompt_tokens: 9,
  completion_tokens: streamedPieces,
  total_tokens: 9 + streamedPieces,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
}

const whole = Buffer.from(
  JSON.stringify({
    ...common,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text.repeat(4), refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage,
  }),
)

const frame = (choices: object[], more: object = {}): string =>
  `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices, ...more })}\n\n`
const step = (delta: object, finish_reason: string | null = null): string =>
  frame([{ index: 0, delta, logprobs: null, finish_reason }])

const first = Buffer.from(step({ role: 'assistant', content: '', refusal: null }) + step({ content: 'The' }))
const rest = Buffer.from(
  `${step({ content: ' answer' }).repeat(streamedPieces - 1)}${step({}, 'stop')}${frame([], { usage })}data: [DONE]\n\n`,
)

const list = JSON.stringify({ object: 'list', data: [{ id: model, object: 'model', created, owned_by: 'stub' }] })

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(list)
    return
  }
  let streamed = false
  request.on('data', (chunk: Buffer) => {
    streamed ||= chunk.includes('"stream":true')
  })
  request.on('end', () => {
    if (streamed) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(first)
      setImmediate(() => response.end(rest))
    } else {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length }).end(whole)
    }
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.once('disconnect', () => process.exit())

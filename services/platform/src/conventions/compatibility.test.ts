// What may be added on the wire without breaking anybody. The upstream here is a server of a later day, at the wire.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OpenAI4, OpenAI6 } from '@atoll/testkit/openai-clients'
import { expect, it, onTestFinished } from 'vitest'
import { describePlatformOnSqlite } from '../testing/describe-platform.ts'

const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, thought_tokens: 9 }

/** Speaks as a later version might: events of unknown kinds, properties nobody knows. */
async function laterServer(): Promise<string> {
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') return void response.end('{"object":"list","data":[]}')
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const head = { id: 'x', model: 'later', mood: { deep: [1] } }
    if (!body.stream) {
      const message = { role: 'assistant', content: 'hello', thoughts: ['hm'] }
      const choices = [{ index: 0, message, finish_reason: 'stop', score: 1 }]
      return void response.end(JSON.stringify({ ...head, choices, usage, carbon: 0.1 }))
    }
    const step = (delta: object, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason, score: 1 }] })}\n\n`
    response.setHeader('content-type', 'text/event-stream')
    response.write(`: a comment\n\nevent: chat.mood.changed\ndata: {"type":"mood","choices":[]}\n\n`)
    response.write(step({ role: 'assistant', content: 'hel', thoughts: ['hm'] }))
    response.write(`event: chat.pause\nid: 7\nretry: 10\ndata: {"type":"pause","choices":[]}\n\n`)
    response.end(`${step({ content: 'lo' })}${step({}, 'stop')}data: [DONE]\n\n`)
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

describePlatformOnSqlite('what is added later', (start) => {
  it('INF-232 AST-300 new kinds of events and new properties of an upstream break neither us nor our callers', async () => {
    const upstream = { kind: 'upstream' as const, replicas: [await laterServer()], model: 'later' }
    const config = { runtimes: { later: upstream }, models: [{ id: 'later', runtime: 'later' }] }
    const platform = await start({ config })
    const settings = { apiKey: platform.apiKey, baseURL: `${platform.url}/v1`, maxRetries: 0 }
    const ask = { model: 'later', messages: [{ role: 'user' as const, content: 'Hi' }] }
    for (const client of [new OpenAI4(settings), new OpenAI6(settings) as unknown as OpenAI4]) {
      const whole = await client.chat.completions.create(ask)
      expect(whole.choices[0]).toMatchObject({ message: { content: 'hello' }, finish_reason: 'stop' })
      let text = ''
      for await (const chunk of await client.chat.completions.create({ ...ask, stream: true })) {
        text += chunk.choices[0]?.delta.content ?? ''
      }
      expect(text).toBe('hello')
    }
  })
})

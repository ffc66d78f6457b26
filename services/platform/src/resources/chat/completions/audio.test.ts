// Audio answers come from models behind other servers. The one here speaks their language at the wire.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OpenAI6 } from '@atoll/testkit/openai-clients'
import { afterEach, expect, it } from 'vitest'
import { chatBody, eventsOf } from '../../../testing/chat-requests.ts'
import { describePlatformOnSqlite } from '../../../testing/describe-platform.ts'
import { errorOf } from '../../../testing/requests.ts'

const sound = Buffer.from('a sound that is long enough to be cut in two')
const usage = {
  prompt_tokens: 4,
  completion_tokens: 9,
  total_tokens: 13,
  completion_tokens_details: { audio_tokens: 7 },
}
const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

interface Heard {
  modalities?: string[]
  audio?: object
  messages: { audio?: object }[]
}

/** A server whose model can speak; `mute` is one that ignores the wish. */
async function speakingServer({ mute = false } = {}): Promise<{ url: string; heard: Heard[] }> {
  const heard: Heard[] = []
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') return void response.end('{"object":"list","data":[]}')
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
    heard.push(body)
    const audio = { id: 'audio_1', expires_at: 1_900_000_000, data: sound.toString('base64'), transcript: 'hello' }
    const message = { role: 'assistant', content: mute ? 'hello' : null, ...(mute ? {} : { audio }) }
    if (!body.stream) {
      const choices = [{ index: 0, message, finish_reason: 'stop' }]
      return void response.end(JSON.stringify({ id: 'x', model: 'speaker', choices, usage }))
    }
    const step = (delta: object, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ model: 'speaker', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
    const [first, second] = [sound.subarray(0, 20), sound.subarray(20)].map((half) => half.toString('base64'))
    response.setHeader('content-type', 'text/event-stream')
    response.write(step({ role: 'assistant', audio: { id: 'audio_1', transcript: 'hel' } }))
    response.write(step({ audio: { data: first } }) + step({ audio: { transcript: 'lo', data: second } }))
    response.end(`${step({ audio: { expires_at: 1_900_000_000 } })}${step({}, 'stop')}data: [DONE]\n\n`)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, heard }
}

const config = (url: string) => ({
  runtimes: { speaker: { kind: 'upstream' as const, replicas: [url], model: 'speaker' } },
  models: [{ id: 'gpt-4o-audio-preview', runtime: 'speaker' }],
})
const spoken = {
  model: 'gpt-4o-audio-preview',
  modalities: ['text', 'audio'],
  audio: { voice: 'alloy', format: 'wav' },
}

describePlatformOnSqlite('audio answers', (start) => {
  it('INF-055 accepts text and audio as modalities for a model that can speak', async () => {
    const { url, heard } = await speakingServer()
    const platform = await start({ config: config(url) })
    const client = new OpenAI6({ apiKey: platform.apiKey, baseURL: `${platform.url}/v1`, maxRetries: 0 })
    const messages = [{ role: 'user' as const, content: 'Say hello.' }]
    const answer = await client.chat.completions.create({ ...spoken, messages } as never)
    expect(heard[0]).toMatchObject({ modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } })
    expect(answer.choices[0]?.message).toMatchObject({
      content: null,
      audio: { id: 'audio_1', transcript: 'hello', data: sound.toString('base64'), expires_at: 1_900_000_000 },
    })
    expect(answer.usage?.completion_tokens_details?.audio_tokens).toBe(7)
  })

  it('INF-055 streams them piece by piece', async () => {
    const { url } = await speakingServer()
    const platform = await start({ config: config(url) })
    const response = await platform.post('/v1/chat/completions', chatBody({ ...spoken, stream: true, store: true }))
    const events = eventsOf(await response.text()).filter((data) => data !== '[DONE]')
    const pieces = events.map((data) => JSON.parse(data).choices[0].delta.audio).filter(Boolean)
    expect(Buffer.concat(pieces.map(({ data = '' }) => Buffer.from(data, 'base64')))).toEqual(sound)
    expect(pieces.map(({ transcript = '' }) => transcript).join('')).toBe('hello')
    const [stored] = (await (await platform.get('/v1/chat/completions')).json()).data
    const kept = stored as unknown as { choices: { message: { audio: { data: string } } }[] }
    expect(kept.choices[0]?.message.audio.data).toBe(sound.toString('base64'))
  })

  it('passes on the reference to an earlier one', async () => {
    const { url, heard } = await speakingServer()
    const platform = await start({ config: config(url) })
    const messages = [
      { role: 'assistant', audio: { id: 'audio_1' } },
      { role: 'user', content: 'Again.' },
    ]
    const response = await platform.post('/v1/chat/completions', chatBody({ ...spoken, messages }))
    expect(response.status).toBe(200)
    expect(heard[0]?.messages[0]).toMatchObject({ audio: { id: 'audio_1' } })
  })

  it('are refused where the server behind ignores the wish, or the configuration denies it', async () => {
    const { url } = await speakingServer({ mute: true })
    const deaf = config(url)
    const platform = await start({ config: deaf })
    const ignored = await platform.post('/v1/chat/completions', chatBody(spoken))
    expect(await errorOf(ignored)).toMatchObject({ param: 'modalities', code: 'unsupported_parameter' })
    const denied = { ...deaf, models: [{ ...deaf.models[0]!, capabilities: ['tools' as const] }] }
    const other = await start({ config: denied })
    const refused = await other.post('/v1/chat/completions', chatBody(spoken))
    expect(await errorOf(refused)).toMatchObject({ param: 'modalities', code: 'unsupported_parameter' })
  })
})

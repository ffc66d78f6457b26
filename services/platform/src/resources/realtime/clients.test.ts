// The real clients of realtime sessions, over TLS, as they insist on it.
import { once } from 'node:events'
import { OpenAI7, OpenAI4104, RealtimeWS7, RealtimeWS4104 } from '@atoll/testkit/openai-clients'
import { OpenAIRealtimeWebSocket, RealtimeAgent, RealtimeSession } from '@openai/agents-realtime'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { ScriptedVoice, silenceOf, toneOf } from './testing/scripted-voice.ts'

const model = 'gpt-4o-realtime-preview'
/** A certificate that nobody has signed. */
const options = { rejectUnauthorized: false }

const settings = (platform: TestPlatform) => ({ apiKey: platform.apiKey, baseURL: `${platform.url}/v1` })

describePlatformOnSqlite('realtime clients', (start) => {
  it('openai 4.104: OpenAIRealtimeWS holds a conversation in text', async () => {
    const platform = await start({ ...new ScriptedVoice([['Hello', ' you.']], () => '').start, tls: 'self-signed' })
    const client = new RealtimeWS4104({ model, options }, new OpenAI4104(settings(platform)))
    const errors: unknown[] = []
    client.on('error', (error) => errors.push(error))
    const deltas: string[] = []
    client.on('response.text.delta', ({ delta }) => deltas.push(delta))
    await once(client.socket, 'open')
    client.send({ type: 'session.update', session: { modalities: ['text'], model } })
    client.send({
      type: 'conversation.item.create',
      item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi!' }] },
    })
    client.send({ type: 'response.create' })
    const done = await new Promise<{ status?: string }>((resolve) =>
      client.on('response.done', ({ response }) => resolve(response)),
    )
    expect(done.status).toBe('completed')
    expect(deltas.join('')).toBe('Hello you.')
    expect(errors).toEqual([])
    client.close()
  })

  it('openai 7: OpenAIRealtimeWS holds a conversation with sound, in the later dialect', async () => {
    const platform = await start({ ...new ScriptedVoice([['Hello.']], () => '').start, tls: 'self-signed' })
    const client = new RealtimeWS7({ model, options }, new OpenAI7(settings(platform)))
    const errors: unknown[] = []
    client.on('error', (error) => errors.push(error))
    let bytes = 0
    client.on('response.output_audio.delta', ({ delta }) => {
      bytes += Buffer.from(delta, 'base64').length
    })
    await once(client.socket, 'open')
    client.send({ type: 'session.update', session: { type: 'realtime', audio: { output: { voice: 'sage' } } } })
    client.send({ type: 'response.create' })
    const done = await new Promise<{ status?: string }>((resolve) =>
      client.on('response.done', ({ response }) => resolve(response)),
    )
    expect(done.status).toBe('completed')
    expect(bytes).toBe('Hello.'.length * 480)
    expect(errors).toEqual([])
    client.close()
  })

  it('@openai/agents-realtime: an agent listens, speaks and keeps its history', async () => {
    const voice = new ScriptedVoice([['Good day to you.']], () => 'Good day')
    const platform = await start({ ...voice.start, tls: 'self-signed' })
    const headers = { authorization: `Bearer ${platform.apiKey}` }
    const url = `${platform.url.replace('http', 'ws')}/v1/realtime?model=${model}`
    const transport = new OpenAIRealtimeWebSocket({
      url,
      createWebSocket: async () => new WebSocket(url, { headers, ...options }),
    })
    const agent = new RealtimeAgent({ name: 'Greeter', instructions: 'Greet.' })
    const session = new RealtimeSession(agent, { transport, model })
    const errors: unknown[] = []
    session.on('error', (error) => errors.push(error))
    let bytes = 0
    session.on('audio', ({ data }) => {
      bytes += data.byteLength
    })
    const history = new Promise<string[]>((resolve) => {
      session.on('history_updated', (items) => {
        const words = items.flatMap((item) =>
          item.type === 'message'
            ? (item.content as { transcript?: string | null }[]).flatMap(({ transcript }) => transcript ?? [])
            : [],
        )
        if (words.length === 2 && words[1] === 'Good day to you.') resolve(words)
      })
    })
    await session.connect({ apiKey: platform.apiKey })
    for (const samples of [toneOf(600), silenceOf(900)]) session.sendAudio(samples.buffer as ArrayBuffer)
    expect(await history).toEqual(['Good day', 'Good day to you.'])
    expect(bytes).toBe('Good day to you.'.length * 480)
    expect(errors).toEqual([])
    session.close()
  })
})

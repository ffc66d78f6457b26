import { once } from 'node:events'
import { ManualClock, systemClock } from '@atoll/kernel/clock/clock'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { ScriptedChatModel } from '../../testing/scripted-chat-model.ts'
import { dial, RealtimeClient, refusal } from './testing/realtime-client.ts'

const { runtimes } = new ScriptedChatModel([['Hi.']])

const withProtocols = (platform: TestPlatform, ...protocols: string[]): WebSocket =>
  new WebSocket(`${platform.url.replace('http', 'ws')}/v1/realtime?model=gpt-4o-realtime-preview`, protocols)

describePlatformOnSqlite('a realtime connection', (start) => {
  it('is refused before it is opened without a good key, with an admin key, and without a model that can chat', async () => {
    const platform = await start({ runtimes })
    expect(await refusal(dial(platform, { key: 'sk-nobody' }))).toEqual({ status: 401, code: 'invalid_api_key' })
    expect(await refusal(dial(platform, { key: 'ek_nobody' }))).toEqual({ status: 401, code: 'invalid_api_key' })
    expect((await refusal(withProtocols(platform, 'realtime'))).status).toBe(401)
    expect((await refusal(dial(platform, { key: platform.adminKey }))).status).toBe(403)
    expect(await refusal(dial(platform, { model: 'gpt-99' }))).toEqual({ status: 404, code: 'model_not_found' })
    expect((await refusal(dial(platform, { model: 'text-embedding-3-small' }))).status).toBe(404)
    const url = `${platform.url.replace('http', 'ws')}/v1/realtime`
    const headers = { authorization: `Bearer ${platform.apiKey}` }
    expect(await refusal(new WebSocket(url, { headers }))).toEqual({ status: 400, code: 'missing_required_parameter' })
    expect((await platform.post('/v1/realtime/sessions', { colour: 'red' })).status).toBe(400)
    expect((await platform.post('/v1/realtime/client_secrets', { session: { type: 'realtime', x: 1 } })).status).toBe(
      400,
    )
  })

  it('is opened by the subprotocols of browsers, in either dialect, and answers the one it speaks', async () => {
    const platform = await start({ runtimes })
    const { organizationId, projectId } = platform.caller
    const key = `openai-insecure-api-key.${platform.apiKey}`
    const scope = [`openai-organization.${organizationId}`, `openai-project.${projectId}`]
    const beta = new RealtimeClient(withProtocols(platform, 'realtime', key, ...scope, 'openai-beta.realtime-v1'))
    expect((await beta.next('session.created')).session.modalities).toEqual(['text', 'audio'])
    expect(beta.socket.protocol).toBe('realtime')
    const later = new RealtimeClient(withProtocols(platform, 'realtime', key))
    expect((await later.next('session.created')).session.output_modalities).toEqual(['audio'])
    expect((await refusal(withProtocols(platform, 'realtime', key, 'openai-project.proj_x'))).status).toBe(401)
    await beta.close()
    await later.close()
    expect(platform.logged()).not.toContain(platform.apiKey)
  })

  it('ends after its time, and when its client says nothing, with a word before', async () => {
    const brief = await start({ runtimes, config: { realtime: { maxSessionSeconds: 1 } } })
    const first = await RealtimeClient.connect(brief)
    const closed = once(first.socket, 'close')
    expect((await first.next('error')).error.code).toBe('session_expired')
    expect((await closed)[0]).toBe(1000)
    const idle = await start({ runtimes, config: { realtime: { idleSeconds: 1 } } })
    const second = await RealtimeClient.connect(idle)
    expect((await second.next('error')).error.code).toBe('session_idle')
  })

  it('uses no model any more once its key has ended', async () => {
    const clock = new ManualClock(systemClock.now())
    const platform = await start({ runtimes, clock })
    const client = await RealtimeClient.connectText(platform)
    const answer = async () => {
      clock.advanceSeconds(10)
      client.send({ type: 'response.create' })
      return (await client.last('response.done')).response
    }
    expect(await answer()).toMatchObject({ status: 'completed' })
    const { organizationId, projectId, keyId } = platform.caller
    await platform.platform.identity.projectKeys.remove(organizationId, projectId, keyId)
    expect(await answer()).toMatchObject({
      status: 'failed',
      status_details: { error: { code: 'invalid_api_key' } },
    })
    await client.close()
  })

  it('is refused when there are too many', async () => {
    const platform = await start({ runtimes, config: { realtime: { maxSessions: 1 } } })
    const first = await RealtimeClient.connect(platform)
    expect(await refusal(dial(platform))).toEqual({ status: 429, code: 'too_many_sessions' })
    await first.close()
    await (await RealtimeClient.connect(platform)).close()
  })

  it('is cut when its client stops reading, and holds up the model until then', async () => {
    const flood = Array.from({ length: 4_000 }, () => 'x'.repeat(8_000))
    const model = new ScriptedChatModel([flood])
    const platform = await start({ runtimes: model.runtimes, config: { realtime: { stallSeconds: 1 } } })
    const client = await RealtimeClient.connectText(platform)
    client.send({ type: 'response.create' })
    await client.next('response.created')
    const raw = (client.socket as unknown as { _socket: { pause(): void; resume(): void } })._socket
    const closed = once(client.socket, 'close')
    raw.pause()
    const usage = async () => (await platform.kernel.db.queries.selectFrom('usage_events').selectAll().execute()).length
    // The call is written down when the server has given its client up.
    while ((await usage()) === 0) await new Promise((resolve) => setTimeout(resolve, 50))
    raw.resume()
    expect((await closed)[0]).toBe(1006)
    expect(client.events.some(({ type }) => type === 'response.done')).toBe(false)
    await (await RealtimeClient.connect(platform)).close()
  })

  it('is closed by a message that is too large', async () => {
    const platform = await start({ runtimes })
    const client = await RealtimeClient.connectText(platform)
    client.send({ type: 'input_audio_buffer.append', audio: '', padding: 'x'.repeat(100_000) })
    expect((await client.next('error')).error.code).toBe('unknown_parameter')
    client.socket.send(`${'['.repeat(50_000)}`)
    expect((await client.next('error')).error.code).toBe('invalid_event')
    const closed = once(client.socket, 'close')
    client.socket.send(Buffer.alloc(33 * 1024 * 1024), { binary: false })
    expect((await closed)[0]).toBe(1009)
  }, 60_000)
})

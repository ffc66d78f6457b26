// A page of the console holds a realtime session with its cookie: for pages of this server alone, and until it logs out.
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { closing, ofConsole, open } from '../../console/testing/trusting-service.ts'
import { describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { ScriptedChatModel } from '../../testing/scripted-chat-model.ts'
import { RealtimeClient, refusal } from './testing/realtime-client.ts'

const runtimes = () => new ScriptedChatModel([['Good ', 'morning.']]).runtimes
const neighbours = { connections: new Map(), absent: {}, recheckMs: 100 }

function dial({ url, caller }: TestPlatform, headers: Record<string, string>, project = caller.projectId): WebSocket {
  const protocols = ['realtime', 'atoll-console', `openai-project.${project}`]
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/realtime?model=gpt-4o-realtime-preview`, protocols, {
    headers,
  })
  closing.push(() => socket.terminate())
  return socket
}

describePlatformOnSqlite('a realtime session of the console', (start) => {
  it('answers in the project that the page names, and its usage is told by the session', async () => {
    const platform = await start({ runtimes: runtimes(), neighbours })
    const { cookie } = await open(platform)
    const client = new RealtimeClient(dial(platform, { cookie, origin: platform.url }))
    await client.next('session.created')
    client.say('Hello.')
    client.send({ type: 'response.create', response: { output_modalities: ['text'] } })
    const { response } = await client.last('response.done')
    expect(JSON.stringify(response)).toContain('Good morning.')
    expect(client.socket.protocol).toBe('realtime')
    const session = await (await platform.as(undefined).get('/v1/console/session', { ...ofConsole, cookie })).json()
    const span = `start_time=${Math.floor(Date.now() / 1000) - 3600}&group_by=api_key_id`
    const usage = () =>
      platform
        .as(platform.adminKey)
        .get(`/v1/organization/usage/completions?${span}`)
        .then((answer) => answer.text())
    await expect.poll(usage).toContain(`"api_key_id":"${session.id}"`)
    await client.close()
  })

  it('is refused for pages of other sites, without a session, and in projects of others', async () => {
    const platform = await start({ runtimes: runtimes(), neighbours })
    const { cookie } = await open(platform)
    const own = { cookie, origin: platform.url }
    const foreign = await platform.addOrganization('Foreign')
    const attacks: [string, number, WebSocket][] = [
      ['no origin', 403, dial(platform, { cookie })],
      ['no origin, but the header', 403, dial(platform, { cookie, ...ofConsole })],
      ['a foreign origin', 403, dial(platform, { ...own, origin: 'https://evil.example' })],
      ['an origin without a place', 403, dial(platform, { ...own, origin: 'null' })],
      ['a foreign host', 421, dial(platform, { ...own, origin: 'http://evil.example', host: 'evil.example' })],
      ['no session', 401, dial(platform, { origin: platform.url })],
      ['a made-up session', 401, dial(platform, { ...own, cookie: `atoll_session=${'a'.repeat(48)}` })],
      ['a foreign project', 403, dial(platform, own, foreign.projectId)],
      ['no project', 403, dial(platform, own, 'none')],
      ['a key that is none', 401, dial(platform, { ...own, authorization: 'Bearer sk-nobody' })],
    ]
    for (const [name, status, socket] of attacks) {
      expect({ name, status: (await refusal(socket)).status }).toEqual({ name, status })
    }
    const bare = `${platform.url.replace('http', 'ws')}/v1/realtime?model=gpt-4o-realtime-preview`
    expect((await refusal(new WebSocket(bare, ['realtime'], { headers: own }))).status).toBe(401)
  })

  it('ends when the person logs out', async () => {
    const platform = await start({ runtimes: runtimes(), neighbours })
    const { cookie } = await open(platform)
    const client = new RealtimeClient(dial(platform, { cookie, origin: platform.url }))
    await client.next('session.created')
    const closed = once(client.socket, 'close')
    await platform.as(undefined).post('/v1/console/logout', undefined, { ...ofConsole, cookie })
    expect((await closed)[0]).toBe(1008)
  })
})

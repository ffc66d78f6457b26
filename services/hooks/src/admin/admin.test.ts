// The admin interface over HTTP: what an operator sees and does.
import { ManualClock } from '@atoll/kernel/clock/clock'
import { expect, it, vi } from 'vitest'
import { insertMessage } from '../channels/store.ts'
import { describeHooks, type HooksServer, hookToken } from '../testing/hooks-server.ts'
import { adminOf, collect, type SentEvent } from './testing/admin-client.ts'

const within = { timeout: 15_000, interval: 20 }
const mappings = [
  { id: 'ci', match: { path: 'ci' }, messageTemplate: 'Build {{state}}', sessionKey: 'hook:ci:{{repo}}' },
  { id: 'up', match: { path: 'up' }, action: 'wake', textTemplate: '{{text}}' },
]

async function ran(server: HooksServer, path: string, body: object): Promise<string> {
  const { body: answer } = await server.post(`/hooks/${path}`, body)
  await vi.waitFor(async () => expect((await server.hooks.desk.get(answer.runId))?.endedAt).not.toBeNull(), within)
  return answer.runId
}

const addDeadMessage = ({ kernel: { db } }: HooksServer) =>
  db.transaction((tx) =>
    insertMessage(tx, {
      ...{ id: 'out_dead', position: 1, channel: 'irc', recipient: '#here', text: 'hi', origin: 'dlv_1', dedupe: 'd' },
      ...{ state: 'dead', parts_sent: 0, attempts: 8, due_at: null, last_error: 'refused' },
      ...{ created_at: Date.now(), ended_at: Date.now() },
    }),
  )

describeHooks('/hooks-admin', (start) => {
  it('opens for the admin token only: not for that of the hooks, nor this one for hooks', async () => {
    const server = await start({ hooks: { authFailures: { limit: 3, seconds: 60 } }, clock: new ManualClock() })
    const admin = adminOf(server)
    expect((await adminOf(server, hookToken).get('/status')).status).toBe(401)
    expect(
      (await server.post('/hooks/wake', { text: 'x' }, { authorization: 'Bearer admin-token-of-the-tests' })).status,
    ).toBe(401)
    expect((await fetch(`${server.url}/hooks-admin/status?token=admin-token-of-the-tests`)).status).toBe(401)
    expect((await admin.get('/status')).status).toBe(200)
    for (const token of ['a', 'b', 'c']) expect((await adminOf(server, token).get('/status')).status).toBe(401)
    const locked = await adminOf(server, 'd').get('/status')
    expect([locked.status, locked.headers.get('retry-after')]).toEqual([429, '60'])
    expect((await admin.get('/status')).status).toBe(200)
    expect((await server.post('/hooks/wake', { text: 'senders go on' })).status).toBe(200)
    expect(server.logged()).not.toContain('admin-token-of-the-tests')
  })

  it('lists deliveries with filters and pages, and shows one with all that is known of it', async () => {
    const server = await start({ hooks: { mappings } })
    const admin = adminOf(server)
    const first = await ran(server, 'ci', { state: 'red', repo: 'a' })
    const second = await ran(server, 'ci', { state: 'green', repo: 'b' })
    const direct = await ran(server, 'agent', { message: 'hello', name: 'Me', sessionKey: 'k' })
    const ids = async (query: string) =>
      (await admin.get(`/deliveries${query}`)).body.deliveries.map((each: { id: string }) => each.id)
    expect(await ids('')).toEqual([direct, second, first])
    expect(await ids('?mapping=ci')).toEqual([second, first])
    expect(await ids('?sessionKey=hook:ci:a')).toEqual([first])
    expect(await ids('?state=dead')).toEqual([])
    const page = await admin.get('/deliveries?limit=2')
    expect(page.body).toMatchObject({ hasMore: true, deliveries: [{ id: direct }, { id: second }] })
    expect((await admin.get(`/deliveries?limit=2&after=${second}`)).body).toMatchObject({
      hasMore: false,
      deliveries: [{ id: first }],
    })
    const small = "Invalid 'limit': expected >= 1, but got 0."
    expect((await admin.get('/deliveries?limit=0')).body).toEqual({ ok: false, error: small })
    for (const query of ['?state=lost', '?limit=0', '?limit=5000', '?colour=red']) {
      expect((await admin.get(`/deliveries${query}`)).status).toBe(400)
    }
    const { status, body } = await admin.get(`/deliveries/${first}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      ...{ id: first, state: 'succeeded', path: 'ci', mapping: 'ci', trust: 'external', attempts: 1, sender: 'token' },
      action: { kind: 'agent', message: 'Build red', sessionKey: 'hook:ci:a' },
      outcome: { state: 'succeeded', summary: 'Build red' },
      body: '{"state":"red","repo":"a"}',
      receivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(JSON.stringify(body)).not.toContain(hookToken)
    expect((await admin.get(`/runs/${first}`)).body).toEqual(body)
    expect((await admin.get('/deliveries/dlv_none')).body).toEqual({
      ok: false,
      error: 'there is no delivery dlv_none',
    })
    expect((await admin.get('/runs/dlv_none')).status).toBe(404)
    expect(await admin.get(`/runs/${first}/turn`)).toMatchObject({ status: 200, body: null }) // nobody began one here
    expect((await admin.get('/runs/dlv_none/turn')).status).toBe(404)
  })

  it('does a delivery again, and what was given up too', async () => {
    const server = await start({ hooks: { mappings, queue: { maxAttempts: 1 } } })
    const admin = adminOf(server)
    server.noted.onRun = async () => Promise.reject(new Error('the model is away'))
    const dead = await ran(server, 'ci', { state: 'red', repo: 'a' })
    await addDeadMessage(server)
    const { body: letters } = await admin.get('/dead-letters')
    expect(letters).toMatchObject({
      deliveries: [{ id: dead, state: 'dead', error: 'the model is away' }],
      messages: [{ id: 'out_dead', channel: 'irc', to: '#here', error: 'refused' }],
    })
    server.noted.onRun = (delivery) => server.noted.succeed(delivery)
    const retried = await admin.post(`/dead-letters/${dead}/retry`)
    expect([retried.status, retried.body]).toEqual([
      202,
      { ok: true, kind: 'delivery', id: expect.stringMatching(/^dlv_/) },
    ])
    await vi.waitFor(
      async () => expect((await admin.get(`/runs/${retried.body.id}`)).body.state).toBe('succeeded'),
      within,
    )
    const replayed = await admin.post(`/deliveries/${retried.body.id}/replay`)
    await vi.waitFor(
      async () => expect((await admin.get(`/runs/${replayed.body.id}`)).body.state).toBe('succeeded'),
      within,
    )
    expect((await admin.get(`/runs/${replayed.body.id}`)).body.replayOf).toBe(retried.body.id)
    expect((await admin.post('/dead-letters/out_dead/retry')).body).toEqual({
      ok: true,
      kind: 'message',
      id: 'out_dead',
    })
    expect((await admin.get('/outbox/out_dead')).body.state).not.toBe('sent')
    expect((await admin.post(`/dead-letters/${retried.body.id}/retry`)).status).toBe(409)
    expect((await admin.post('/dead-letters/none/retry')).status).toBe(404)
    expect((await admin.post('/deliveries/none/replay')).status).toBe(404)
  })

  it('pauses and resumes all, or one mapping; what comes meanwhile waits', async () => {
    const server = await start({ hooks: { mappings } })
    const admin = adminOf(server)
    expect((await admin.post('/pause', { mapping: 'ci' })).body).toEqual({ ok: true, all: false, mappings: ['ci'] })
    const { body: waiting } = await server.post('/hooks/ci', { state: 'red', repo: 'a' })
    await ran(server, 'agent', { message: 'not paused' })
    expect((await admin.get(`/runs/${waiting.runId}`)).body).toMatchObject({ state: 'queued', attempts: 0 })
    expect((await admin.get('/mappings')).body.mappings).toMatchObject([
      { id: 'ci', isPaused: true },
      { id: 'up', isPaused: false },
    ])
    expect((await admin.get('/status')).body).toMatchObject({
      paused: { mappings: ['ci'] },
      deliveries: { queued: 1, succeeded: 1 },
    })
    expect((await admin.post('/resume', { mapping: 'ci' })).body).toEqual({ ok: true, all: false, mappings: [] })
    await vi.waitFor(
      async () => expect((await admin.get(`/runs/${waiting.runId}`)).body.state).toBe('succeeded'),
      within,
    )
    expect((await admin.post('/pause')).body).toMatchObject({ all: true })
    expect((await admin.post('/resume')).body).toMatchObject({ all: false })
    expect((await admin.post('/pause', { mapping: 'none' })).body.error).toBe('there is no mapping none')
    expect((await admin.post('/pause', { maping: 'ci' })).status).toBe(400)
  })

  it('follows a run: what is on record, what happens, and its end; from where a client left off', async () => {
    const server = await start()
    const admin = adminOf(server)
    const going = Promise.withResolvers<void>()
    server.noted.onRun = async (delivery) => {
      await delivery.tell({ type: 'turn.started', note: 'one' })
      await going.promise
      await delivery.tell({ type: 'tool.called', note: 'two' })
      await server.noted.succeed(delivery)
    }
    const { body } = await server.post('/hooks/agent', { message: 'hello' })
    const seen: SentEvent[] = []
    for await (const event of admin.follow(`/runs/${body.runId}/events`)) {
      if (event.event !== 'ping' && event.event !== 'state') seen.push(event)
      if (event.event === 'turn.started') going.resolve()
    }
    expect(seen).toMatchObject([
      { event: 'turn.started', id: '1', data: { note: 'one' } },
      { event: 'tool.called', id: '2', data: { note: 'two' } },
      { event: 'end', data: { id: body.runId, state: 'succeeded' } },
    ])
    const rest = await collect(admin.follow(`/runs/${body.runId}/events`, { 'last-event-id': '1' }))
    expect(rest.map(({ event }) => event)).toEqual(['tool.called', 'end'])
    expect((await admin.get('/runs/none/events')).status).toBe(404)
  })

  it('follows all deliveries: the latest first, then every change; a client that comes back misses none', async () => {
    const server = await start({ hooks: { mappings } })
    const admin = adminOf(server)
    const before = await ran(server, 'ci', { state: 'red', repo: 'a' })
    const seen: string[] = []
    let late = ''
    let last: string | undefined
    for await (const { event, id, data } of admin.follow('/events?recent=5')) {
      if (event !== 'delivery') continue
      seen.push(`${data.id} ${data.state}`)
      last = id
      if (seen.length === 1) late = (await server.post('/hooks/ci', { state: 'green', repo: 'b' })).body.runId
      if (data.id === late && data.state === 'succeeded') break
    }
    expect(seen[0]).toBe(`${before} succeeded`)
    expect(seen.at(-1)).toBe(`${late} succeeded`)
    const away = await ran(server, 'ci', { state: 'blue', repo: 'c' })
    for await (const { event, data } of admin.follow('/events', { 'last-event-id': last ?? '' })) {
      if (event === 'delivery') {
        expect(data.id).toBe(away)
        break
      }
    }
  })

  it('puts every change on record, in a chain that shows when somebody touched it', async () => {
    const server = await start({ hooks: { mappings } })
    const admin = adminOf(server)
    await admin.post('/pause', { mapping: 'ci' })
    await admin.post('/dead-letters/none/retry')
    await admin.post('/mappings/ci/test', { payload: {} })
    await admin.get('/status')
    const { entries } = (await admin.get('/audit')).body
    expect(entries.map(({ method, path, status }: Record<string, unknown>) => `${method} ${path} ${status}`)).toEqual([
      'POST /hooks-admin/dead-letters/none/retry 404',
      'POST /hooks-admin/dead-letters/none/retry 0',
      'POST /hooks-admin/pause 200',
      'POST /hooks-admin/pause 0',
    ])
    expect(entries.at(-1)).toMatchObject({ details: { mapping: 'ci' }, address: '127.0.0.1', seq: 1 })
    expect((await admin.get('/audit/verify')).body).toMatchObject({ intact: true, entries: 4 })
    await server.kernel.db.transaction((tx) =>
      tx.updateTable('audit_entries').set({ entry: '{}' }).where('chain', '=', 'hooks').where('seq', '=', 2).execute(),
    )
    expect((await admin.get('/audit/verify')).body).toMatchObject({ intact: false, brokenAt: 2 })
  })
})

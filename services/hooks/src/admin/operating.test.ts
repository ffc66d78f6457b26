// Conversations, heartbeats, the outbox and where replies go, in the admin interface.
import { expect, it } from 'vitest'
import { type EventRow, insertEvents } from '../agent/events/store.ts'
import { insertSession } from '../agent/sessions/store.ts'
import { insertMessage } from '../channels/store.ts'
import { describeHooks, type HooksServer } from '../testing/hooks-server.ts'
import { adminOf } from './testing/admin-client.ts'

const channels = { irc: { host: '127.0.0.1', nick: 'atoll' }, default: { channel: 'irc', to: '#default' } }

async function addMessages({ kernel: { db } }: HooksServer, count: number): Promise<void> {
  await db.transaction(async (tx) => {
    for (let at = 1; at <= count; at++) {
      await insertMessage(tx, {
        ...{ id: `out_${at}`, position: at, channel: 'irc', recipient: '#here', text: 'hi', origin: `dlv_${at}` },
        ...{ dedupe: `d${at}`, state: 'sent', parts_sent: 1, attempts: 1, due_at: null, last_error: null },
        ...{ created_at: Date.now(), ended_at: Date.now() },
      })
    }
  })
}

describeHooks('operating a gateway', (start) => {
  it('HOOK-057 HOOK-078 sets the last recipient; before that it is the default', async () => {
    const admin = adminOf(await start({ channels }))
    const fallback = { channel: 'irc', to: '#default' }
    expect((await admin.get('/route')).body).toEqual({ last: null, effective: fallback })
    const here = { channel: 'irc', to: '#here' }
    expect((await admin.put('/route', here)).body).toEqual({ last: here, effective: here })
    for (const [body, words] of [
      [{ channel: 'slack', to: 'C1' }, /channel slack is not configured/],
      [{ channel: 'fax', to: '1' }, /channel must be email\|irc/],
      [{ channel: 'irc' }, /to required/],
      [{ channel: 'irc', to: '#a b\r\nQUIT' }, /^to: /],
    ] as const) {
      const { status, body: answer } = await admin.put('/route', body)
      expect(status).toBe(400)
      expect(answer.error).toMatch(words)
    }
    expect((await admin.get('/route')).body.last).toEqual(here)
  })

  it('lists the outbox in pages, by state and by what a message answers', async () => {
    const server = await start()
    const admin = adminOf(server)
    await addMessages(server, 3)
    const page = (await admin.get('/outbox?limit=2')).body
    expect(page).toMatchObject({ hasMore: true, messages: [{ id: 'out_3' }, { id: 'out_2' }] })
    expect((await admin.get('/outbox?limit=2&after=out_2')).body).toMatchObject({
      hasMore: false,
      messages: [{ id: 'out_1' }],
    })
    expect((await admin.get('/outbox?origin=dlv_2')).body.messages).toMatchObject([
      { id: 'out_2', state: 'sent', to: '#here' },
    ])
    expect((await admin.get('/outbox?state=dead')).body.messages).toEqual([])
    expect((await admin.get('/outbox/none')).status).toBe(404)
  })

  it('lists conversations and lets one begin anew', async () => {
    const server = await start()
    const admin = adminOf(server)
    const { db } = server.kernel
    const session = { id: 'ses_1', kind: 'hook', key: 'k', thread_id: 'thread_1', trust: 'external' } as const
    await db.transaction((tx) =>
      insertSession(tx, { ...session, turns: 2, created_at: Date.now(), used_at: Date.now() }),
    )
    expect((await admin.get('/sessions')).body.sessions).toMatchObject([
      { id: 'ses_1', kind: 'hook', key: 'k', threadId: 'thread_1', trust: 'external', turns: 2 },
    ])
    expect((await admin.post('/sessions/ses_1/reset')).body).toEqual({ ok: true })
    expect((await admin.get('/sessions')).body.sessions).toMatchObject([{ threadId: null, turns: 0 }])
    expect((await admin.post('/sessions/none/reset')).status).toBe(404)
  })

  it('asks for a heartbeat, and shows the events that wait for one', async () => {
    const server = await start()
    const admin = adminOf(server)
    const { db } = server.kernel
    const event: EventRow = {
      ...{ id: 'evt_1', position: 1, text: 'Disk full', source: 'wake', trust: 'external', mode: 'next-heartbeat' },
      ...{ is_unsafe: 0, delivery_id: null, created_at: Date.now(), state: 'open', consumed_by: null },
    }
    await db.transaction((tx) => insertEvents(tx, db.kind, [event]))
    expect((await admin.get('/heartbeat')).body).toMatchObject({ isWanted: false, openEvents: 1, beats: [] })
    expect((await admin.post('/heartbeat')).status).toBe(202)
    expect((await admin.get('/heartbeat')).body).toMatchObject({ isWanted: true })
    expect((await admin.get('/system-events')).body.events).toMatchObject([
      { id: 'evt_1', text: 'Disk full', trust: 'external' },
    ])
  })
})

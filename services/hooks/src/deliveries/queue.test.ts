// The queue: order within a session, attempts, dead letters, pauses, leases, a full queue.
import { expect, it } from 'vitest'
import type { ClaimedDelivery } from '../ports.ts'
import { describeHooks, type HooksServer } from '../testing/hooks-server.ts'

const within = { timeout: 20_000 }
const fast = { backoffSeconds: 0.02, maxBackoffSeconds: 0.05 }

async function send({ post }: HooksServer, message: string, more: object = {}): Promise<string> {
  const { status, body } = await post('/hooks/agent', { message, ...more })
  expect(status).toBe(202)
  return body.runId
}

const stateOf = async ({ hooks }: HooksServer, id: string) => (await hooks.desk.get(id))?.state

/** Runs that wait until the test lets them go. */
function hold({ noted }: HooksServer) {
  const waiting = new Map<string, () => void>()
  noted.onRun = async (delivery: ClaimedDelivery) => {
    await new Promise<void>((resolve) => {
      waiting.set(delivery.action.message, resolve)
      delivery.signal.addEventListener('abort', () => resolve())
    })
    if (!delivery.signal.aborted) await noted.succeed(delivery)
  }
  return waiting
}

describeHooks('the queue', (start) => {
  it('runs one session’s deliveries in their order, and sessions beside each other up to the limit', async () => {
    const server = await start({ hooks: { queue: { concurrency: 2 } } })
    const waiting = hold(server)
    for (const message of ['a1', 'a2', 'a3']) await send(server, message, { sessionKey: 'a' })
    for (const message of ['b1', 'c1']) await send(server, message, { sessionKey: message })
    await expect.poll(() => [...waiting.keys()].sort(), within).toEqual(['a1', 'b1'])
    expect(server.noted.runs).toHaveLength(2)
    waiting.get('b1')?.()
    await expect.poll(() => waiting.has('c1'), within).toBe(true)
    expect(waiting.has('a2')).toBe(false)
    for (const message of ['a1', 'a2', 'a3']) {
      await expect.poll(() => waiting.has(message), within).toBe(true)
      waiting.get(message)?.()
    }
    waiting.get('c1')?.()
    await expect.poll(async () => (await server.hooks.desk.counts()).succeeded, within).toBe(5)
    const order = server.noted.runs.map(({ action }) => action.message).filter((message) => message.startsWith('a'))
    expect(order).toEqual(['a1', 'a2', 'a3'])
  })

  it('tries again what failed, before what came later, and gives up after the last attempt', async () => {
    const server = await start({ hooks: { queue: { maxAttempts: 3, ...fast } } })
    const { noted, hooks } = server
    noted.onRun = async (delivery) => {
      const { message } = delivery.action
      if (message === 'never' || (message === 'twice' && delivery.attempt < 3))
        throw new Error(`no ${delivery.attempt}`)
      await noted.succeed(delivery)
    }
    const ids: string[] = []
    for (const message of ['twice', 'never', 'fine']) ids.push(await send(server, message, { sessionKey: 's' }))
    await expect.poll(() => stateOf(server, ids[2] ?? ''), within).toBe('succeeded')
    const records = await hooks.desk.list({ limit: 10, order: 'asc' })
    expect(records.map(({ state, attempts }) => [state, attempts])).toEqual([
      ['succeeded', 3],
      ['dead', 3],
      ['succeeded', 1],
    ])
    expect(records[1]).toMatchObject({ error: 'no 3', endedAt: expect.any(Number) })
    expect(noted.runs.map(({ action }) => action.message)).toEqual([
      'twice',
      'twice',
      'twice',
      'never',
      'never',
      'never',
      'fine',
    ])
    const told = await hooks.desk.events(ids[1] ?? '')
    expect(told.map(({ type }) => type)).toEqual(['attempt.failed', 'attempt.failed', 'dead'])
    expect(noted.dead).toEqual([ids[1]])
  })

  it('keeps outcomes and what a run tells, and plays a delivery again as one of its own', async () => {
    const server = await start()
    const { noted, hooks, kernel } = server
    noted.onRun = async (delivery) => {
      await Promise.all([delivery.tell({ type: 'a', n: 1 }), delivery.tell({ type: 'b' })])
      await kernel.db.transaction((tx) => delivery.finish(tx, { state: 'timed_out', error: 'too slow', model: 'm' }))
    }
    const heard: string[] = []
    const stop = hooks.desk.watch((id) => heard.push(id))
    const id = await send(server, 'x', { name: 'N' })
    await expect.poll(() => stateOf(server, id), within).toBe('timed_out')
    expect(await hooks.desk.get(id)).toMatchObject({ error: 'too slow', outcome: { model: 'm' }, trust: 'external' })
    expect(await hooks.desk.events(id)).toMatchObject([
      { seq: 1, type: 'a', detail: { n: 1 } },
      { seq: 2, type: 'b' },
    ])
    expect(await hooks.desk.events(id, 1)).toHaveLength(1)
    await expect.poll(() => heard.filter((one) => one === id).length, within).toBeGreaterThanOrEqual(4)
    stop()
    const replayed = (await hooks.desk.replay(id)) ?? ''
    await expect.poll(() => stateOf(server, replayed), within).toBe('timed_out')
    expect(await hooks.desk.get(replayed)).toMatchObject({ replayOf: id, action: { name: 'N' }, sender: 'replay' })
    expect(await hooks.desk.replay('dlv_none')).toBeUndefined()
  })

  it('stops for a pause of all or of one mapping, which outlives a restart, and goes on in order', async () => {
    const mappings = [{ id: 'ci', match: { path: 'ci' }, sessionKey: '{{session}}', messageTemplate: '{{text}}' }]
    const before = await start({ hooks: { mappings } })
    await before.hooks.desk.pause()
    await before.hooks.desk.pause('ci')
    await before.post('/hooks/ci', { text: 'paused', session: 'shared' })
    const behind = await send(before, 'behind', { sessionKey: 'shared' })
    const free = await send(before, 'free')
    await before.close()
    expect(before.noted.runs).toEqual([])

    const server = await start({ hooks: { mappings }, after: before })
    expect(await server.hooks.desk.paused()).toEqual({ all: true, mappings: ['ci'] })
    await server.hooks.desk.resume()
    await expect.poll(() => stateOf(server, free), within).toBe('succeeded')
    expect(await stateOf(server, behind)).toBe('queued')
    await server.hooks.desk.resume('ci')
    await expect.poll(() => stateOf(server, behind), within).toBe('succeeded')
    expect(server.noted.runs.map(({ action }) => action.message)).toEqual(['free', 'paused', 'behind'])
  })

  it('that is full sends senders away for a while, and takes the next ones when there is room', async () => {
    const server = await start({ hooks: { queue: { maxQueued: 2 } } })
    await server.hooks.desk.pause()
    await send(server, 'one')
    await send(server, 'two')
    const full = await server.post('/hooks/agent', { message: 'three' })
    expect([full.status, Number(full.headers.get('retry-after'))]).toEqual([503, expect.any(Number)])
    expect(full.body.ok).toBe(false)
    expect((await server.post('/hooks/wake', { text: 'a wake waits for nobody' })).status).toBe(200)
    await server.hooks.desk.resume()
    await expect.poll(async () => (await server.hooks.desk.counts()).succeeded, within).toBe(3)
    await send(server, 'three')
  })

  it('hands back what it runs when it stops, and the next start runs it as if for the first time', async () => {
    const before = await start()
    const waiting = hold(before)
    const id = await send(before, 'cut off')
    await expect.poll(() => waiting.has('cut off'), within).toBe(true)
    await before.close()
    const server = await start({ after: before })
    await expect.poll(() => stateOf(server, id), within).toBe('succeeded')
    expect(server.noted.runs.map(({ attempt }) => attempt)).toEqual([1])
  })

  it('forgets what ended long ago, and keeps what waits', async () => {
    const { ManualClock } = await import('@atoll/kernel/clock/clock')
    const { pruneDeliveries } = await import('./retention.ts')
    const clock = new ManualClock(Date.now())
    const server = await start({ clock })
    await server.post('/hooks/wake', { text: 'old' }, { 'idempotency-key': 'k' })
    await server.hooks.desk.pause()
    const waiting = await send(server, 'waits')
    clock.advanceSeconds(31 * 24 * 3600)
    await server.post('/hooks/wake', { text: 'new' })
    await pruneDeliveries(server.kernel, 30)
    const kept = await server.hooks.desk.list({ limit: 10, order: 'asc' })
    expect(kept.map(({ id, state }) => (id === waiting ? 'waits' : state))).toEqual(['waits', 'succeeded'])
    expect((await server.post('/hooks/wake', { text: 'other' }, { 'idempotency-key': 'k' })).status).toBe(200)
  })
})

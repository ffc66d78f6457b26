// The same request twice: one delivery, the same answer.
import { expect, it } from 'vitest'
import { describeHooks } from '../testing/hooks-server.ts'

describeHooks('a delivery that comes again', (start) => {
  it('is answered as the first time and not run again, also at once and after a restart; another body is refused', async () => {
    const tokens = [{ id: 'other', token: 'token-of-another-sender' }]
    const before = await start({ hooks: { tokens } })
    const key = { 'idempotency-key': 'build-17' }
    const body = { message: 'Build 17 failed', sessionKey: 'ci' }
    const answers = await Promise.all(Array.from({ length: 20 }, () => before.post('/hooks/agent', body, key)))
    expect(new Set(answers.map(({ status, body: { runId } }) => `${status} ${runId}`)).size).toBe(1)
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1)
    const [first] = answers
    await expect.poll(() => before.noted.runs.length, { timeout: 20_000 }).toBe(1)
    expect(await before.hooks.desk.get(first?.body.runId)).toMatchObject({ duplicates: 19 })
    await before.close()

    const server = await start({ hooks: { tokens }, after: before })
    const again = await server.post('/hooks/agent', body, key)
    expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([202, first?.body, 'true'])
    const reused = await server.post('/hooks/agent', { ...body, message: 'Other' }, key)
    expect([reused.status, reused.body.ok]).toEqual([409, false])
    // The key is the sender's own, for one path.
    const wake = await server.post('/hooks/wake', { text: 'x' }, key)
    expect([wake.status, wake.headers.get('idempotency-replayed')]).toEqual([200, null])
    const other = { ...key, authorization: 'Bearer token-of-another-sender' }
    const theirs = await server.post('/hooks/agent', { message: 'Theirs' }, other)
    expect([theirs.status, theirs.headers.get('idempotency-replayed')]).toEqual([202, null])
  })

  it('is known by every usual name of a delivery', async () => {
    const { post, noted } = await start()
    const ways: [Record<string, string>, Record<string, unknown>][] = [
      [{ 'idempotency-key': 'a' }, {}],
      [{ 'webhook-id': 'b' }, {}],
      [{ 'x-github-delivery': 'c' }, {}],
      [{}, { idempotencyKey: 'd' }],
    ]
    for (const [headers, more] of ways) {
      const body = { text: 'x', mode: 'next-heartbeat', ...more }
      expect((await post('/hooks/wake', body, headers)).headers.get('idempotency-replayed')).toBeNull()
      const again = await post('/hooks/wake', body, headers)
      expect([again.body.mode, again.headers.get('idempotency-replayed')]).toEqual(['next-heartbeat', 'true'])
    }
    expect(noted.events).toHaveLength(ways.length)
    const tooLong = await post('/hooks/wake', { text: 'x' }, { 'idempotency-key': 'k'.repeat(257) })
    expect(tooLong.status).toBe(400)
    expect((await post('/hooks/wake', { text: 'x', idempotencyKey: 7 })).status).toBe(400)
  })
})

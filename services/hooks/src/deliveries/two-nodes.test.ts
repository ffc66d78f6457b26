// Two nodes on one database: each delivery runs on one of them, and what a dead node held goes to the other.
import { describePostgres, postgresTarget } from '@atoll/testkit/both-targets'
import { afterEach, expect, it } from 'vitest'
import { type HooksServer, startHooks } from '../testing/hooks-server.ts'

const within = { timeout: 20_000 }
const servers: HooksServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function startTwo(queue: object): Promise<[HooksServer, HooksServer]> {
  const one = await startHooks(postgresTarget, { hooks: { queue } })
  const other = await startHooks(postgresTarget, {
    hooks: { queue },
    after: { target: one.target, folder: one.folder },
  })
  servers.push(one, other)
  return [one, other]
}

describePostgres('two nodes', () => {
  it('share the work: every delivery runs once, each session in its order, wherever it came in', async () => {
    const [one, other] = await startTwo({ concurrency: 3 })
    const order: string[] = []
    for (const { noted } of [one, other]) {
      noted.onRun = async (delivery) => {
        order.push(delivery.action.message)
        await noted.succeed(delivery)
      }
    }
    const sent: string[] = []
    for (let n = 0; n < 30; n++) {
      const message = `${n % 3}-${String(n).padStart(2, '0')}`
      sent.push(message)
      const { post } = n % 2 === 0 ? one : other
      expect((await post('/hooks/agent', { message, sessionKey: message[0] })).status).toBe(202)
    }
    await expect.poll(async () => (await one.hooks.desk.counts()).succeeded, within).toBe(30)
    expect([...order].sort()).toEqual([...sent].sort())
    for (const session of ['0', '1', '2']) {
      const mine = (messages: string[]) => messages.filter((message) => message.startsWith(session))
      expect(mine(order)).toEqual(mine(sent))
    }
  })

  it('take over from each other when a lease is not renewed; the late end of the first counts for nothing', async () => {
    const [one, other] = await startTwo({ leaseSeconds: 1, concurrency: 1 })
    let late: unknown
    const isOver = Promise.withResolvers<void>()
    for (const { noted, kernel } of [one, other]) {
      noted.onRun = async (delivery) => {
        if (delivery.attempt > 1) return noted.succeed(delivery)
        // As if this node had been asleep: its lease is gone, and it does not know.
        const lost = { lease_token: 'lost', due_at: 1 }
        await kernel.db.queries.updateTable('jobs').set(lost).where('kind', '=', 'hook-delivery').execute()
        await isOver.promise
        late = await noted.succeed(delivery).then(
          () => 'counted',
          (error: Error) => error.message,
        )
      }
    }
    const { body } = await one.post('/hooks/agent', { message: 'x' })
    await expect.poll(async () => (await other.hooks.desk.get(body.runId))?.state, within).toBe('succeeded')
    isOver.resolve()
    await expect.poll(() => late, within).toMatch(/lease/)
    expect(await other.hooks.desk.get(body.runId)).toMatchObject({ state: 'succeeded', duplicates: 0 })
  })
})

import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { describeClusters } from './testing/cluster.ts'
import { Counter, Gate, testKind } from './testing/kind.ts'
import { add, addAll, ended, until } from './testing/steps.ts'
import { Turns } from './turns.ts'

describeClusters('turns between tenants', (createCluster) => {
  it('let the only job of one begin after the work in hand, however many of another wait', async () => {
    const node = await (await createCluster()).addNode()
    const order: number[] = []
    const kind = testKind(async ({ payload }) => void order.push(payload.n), { concurrency: 1 })
    await addAll(node, kind, 2_000, () => ({ tenant: 'many' }))
    await addAll(node, kind, 1, () => ({ tenant: 'one' }), 100_000)
    await addAll(node, kind, 3, () => ({ tenant: 'few' }), 200_000)
    node.jobs.register(kind)
    await node.jobs.start()
    await until(async () => order.length >= 20)
    await node.jobs.stop(1000)
    expect(order.indexOf(100_000)).toBeLessThanOrEqual(2)
    expect([200_000, 200_001, 200_002].map((n) => order.indexOf(n)).every((at) => at >= 0 && at <= 8)).toBe(true)
    // Each tenant's own are in their order.
    const many = order.filter((n) => n < 100_000)
    expect(many).toEqual(many.toSorted((one, other) => one - other))
  })

  it('give a place to whoever has the fewest running', async () => {
    const node = await (await createCluster()).addNode()
    const gate = new Gate()
    const short = new Counter()
    let [long, most] = [0, 0]
    const kind = testKind(
      async (job) => {
        if (job.payload.n >= 1000) return short.add()
        most = Math.max(most, ++long)
        await gate.run(job)
      },
      { concurrency: 4 },
    )
    await addAll(node, kind, 20, () => ({ tenant: 'long' }))
    await addAll(node, kind, 200, () => ({ tenant: 'short' }), 1000)
    node.jobs.register(kind)
    await node.jobs.start()
    await short.reaches(190)
    expect(most).toBeLessThanOrEqual(2)
    gate.open()
    await ended(node)
  })

  it('hold a tenant to its limit, and pass over those who are held', async () => {
    const node = await (await createCluster()).addNode()
    const gate = new Gate()
    const [entered, seen] = [new Counter(), [] as number[]]
    let held: 'all' | string[] = 'all'
    const kind = testKind(
      async (job) => {
        seen.push(job.payload.n)
        entered.add()
        await gate.run(job)
      },
      { concurrency: 4, tenantConcurrency: 2, held: async () => held },
    )
    await addAll(node, kind, 5, () => ({ tenant: 'a' }))
    await add(node, kind, 100, { tenant: 'b' })
    node.jobs.register(kind)
    await node.jobs.start()
    await turn()
    expect(seen).toEqual([])
    held = ['b']
    await node.db.transaction((tx) => node.jobs.wake(tx, kind))
    await entered.reaches(2)
    await turn()
    expect(seen).toEqual([0, 1])
    held = []
    await node.db.transaction((tx) => node.jobs.wake(tx, kind))
    await entered.reaches(3)
    expect(seen).toEqual([0, 1, 100])
    gate.open()
    await ended(node)
    expect(seen.slice(3)).toEqual([2, 3, 4])
  })
})

describe('the last turn', () => {
  it('belongs to whoever is the furthest behind the one before, around the end', () => {
    const turns = new Turns()
    const pass = (...tenants: string[]) => {
      turns.passed(tenants.map((tenant) => ({ tenant })))
      return turns.lastTenant
    }
    expect([pass('b', 'a'), pass('c'), pass('d', 'a'), pass(), pass('b', 'c')]).toEqual(['b', 'c', 'a', 'a', 'c'])
  })
})

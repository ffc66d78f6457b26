// Where one process holds the database, a job that it has room for is written as claimed: its run begins with the commit
// that adds it, and not two commits later.
import { setImmediate as turn } from 'node:timers/promises'
import { sqliteTarget } from '@atoll/testkit/both-targets'
import { afterEach, expect, it } from 'vitest'
import { systemClock } from '../clock/clock.ts'
import type { Queries } from '../db/database.ts'
import type { JobKind } from './jobs.ts'
import { TestCluster, type TestNode } from './testing/cluster.ts'
import { Counter, Gate, type TestPayload, testKind } from './testing/kind.ts'
import { add, ended, until } from './testing/steps.ts'

let cluster: TestCluster | undefined
afterEach(() => cluster?.close())

async function startNode(kind: JobKind<TestPayload>): Promise<TestNode> {
  cluster = new TestCluster(await sqliteTarget(), systemClock)
  const node = await cluster.addNode()
  node.jobs.register(kind)
  await node.jobs.start()
  return node
}

const states = async (queries: Queries) =>
  (await queries.selectFrom('jobs').select(['state', 'attempts']).orderBy('id').execute()).map(
    ({ state, attempts }) => `${state} ${attempts}`,
  )

it('is claimed by the commit that adds it, and begins after it', async () => {
  const gate = new Gate()
  const kind = testKind(gate.run)
  const node = await startNode(kind)
  const inside = await node.db.transaction(async (tx) => {
    await node.jobs.enqueue(tx, kind, { n: 1 })
    return states(tx)
  })
  expect(inside).toEqual(['running 1'])
  expect(await gate.entered).toMatchObject({ attempt: 1, payload: { n: 1 } })
  gate.open()
  await ended(node)
})

it('never begins when that commit does not come', async () => {
  const begun = new Counter()
  const kind = testKind(async () => begun.add())
  const node = await startNode(kind)
  const undone = node.db.transaction(async (tx) => {
    await node.jobs.enqueue(tx, kind, { n: 1 })
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  await add(node, kind, 2)
  await ended(node)
  expect(begun.count).toBe(1)
})

it('waits for a place like any other when there is none, and goes back when too many were added at once', async () => {
  const gate = new Gate()
  const order: number[] = []
  const kind = testKind(
    async (job) => {
      order.push(job.payload.n)
      await gate.run(job)
    },
    { concurrency: 1 },
  )
  const node = await startNode(kind)
  await node.db.transaction(async (tx) => {
    for (const n of [1, 2]) await node.jobs.enqueue(tx, kind, { n })
    expect(await states(tx)).toEqual(['running 1', 'running 1'])
  })
  await gate.entered
  await add(node, kind, 3)
  await until(async () => (await states(node.db.queries)).join() === 'running 1,waiting 0,waiting 0')
  gate.open()
  await ended(node)
  expect(order).toEqual([1, 2, 3])
})

it('lets those who wait go first, and takes no place that another has', async () => {
  const order: number[] = []
  let [running, most] = [0, 0]
  const kind = testKind(
    async ({ payload }) => {
      order.push(payload.n)
      most = Math.max(most, ++running)
      await turn()
      running--
    },
    { concurrency: 1 },
  )
  const node = await startNode(kind)
  await node.db.transaction(async (tx) => {
    await node.jobs.enqueueAll(tx, kind, [{ payload: { n: 1 }, tenant: 'first' }])
    await node.jobs.enqueue(tx, kind, { n: 2 }, { tenant: 'second' })
  })
  await ended(node)
  expect({ order, most }).toEqual({ order: [1, 2], most: 1 })
})

it('is begun at once beside others of its tenant, up to as many as that may have', async () => {
  const gate = new Gate()
  let [running, most] = [0, 0]
  const kind = testKind(
    async (job) => {
      if (job.payload.n < 4) most = Math.max(most, ++running)
      await gate.run(job)
      if (job.payload.n < 4) running--
    },
    { concurrency: 8, tenantConcurrency: 2 },
  )
  const node = await startNode(kind)
  const one = { tenant: 'one' }
  await add(node, kind, 1, one)
  await gate.entered
  await node.db.transaction(async (tx) => {
    for (const n of [2, 3]) await node.jobs.enqueue(tx, kind, { n }, one)
    await node.jobs.enqueue(tx, kind, { n: 4 }, { tenant: 'other' })
    expect(await states(tx)).toEqual(['running 1', 'running 1', 'running 1', 'running 1'])
  })
  await until(async () => (await states(node.db.queries)).join() === 'running 1,running 1,waiting 0,running 1')
  await add(node, kind, 5, one)
  expect((await states(node.db.queries)).at(-1)).toBe('waiting 0')
  gate.open()
  await ended(node)
  expect(most).toBe(2)
})

it('lets those go first that an earlier process has left', async () => {
  const order: number[] = []
  const kind = testKind(async ({ payload }) => void order.push(payload.n), { concurrency: 1 })
  cluster = new TestCluster(await sqliteTarget(), systemClock)
  await add(await cluster.addNode(), kind, 1)
  const node = await cluster.addNode()
  node.jobs.register(kind)
  node.jobs.registerPeriodic('other', 3600, async () => undefined)
  await Promise.all([node.jobs.start(), add(node, kind, 2)])
  await until(async () => order.length === 2)
  expect(order).toEqual([1, 2])
})

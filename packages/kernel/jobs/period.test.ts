import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../clock/clock.ts'
import { nextPeriod } from './period.ts'
import { describeClusters, type TestCluster, type TestNode } from './testing/cluster.ts'
import { Counter } from './testing/kind.ts'

const hour = 3600

/** Starts two nodes, waits for the runs that are due, and stops both: no claim is under way any more. */
async function bothNodes(cluster: TestCluster, run: () => Promise<void>, due: (node: TestNode) => Promise<boolean>) {
  const nodes = [await cluster.addNode(), await cluster.addNode()] as const
  for (const { jobs } of nodes) jobs.registerPeriodic('sweep', hour, run)
  await Promise.all(nodes.map(({ jobs }) => jobs.start()))
  while (!(await due(nodes[0]))) await turn()
  await Promise.all(nodes.map(({ jobs }) => jobs.stop(1000)))
}

const row = ({ db }: TestNode) => db.queries.selectFrom('jobs').selectAll().executeTakeFirstOrThrow()

describeClusters('periodic jobs', (createCluster) => {
  it('run once a period on two nodes, over restarts, and once for all periods missed', async () => {
    const clock = new ManualClock()
    const start = clock.now()
    const cluster = await createCluster(clock)
    const runs = new Counter()
    const run = async () => runs.add()
    const waitsFor = (at: number) => async (node: TestNode) => (await row(node)).run_at === at

    await bothNodes(cluster, run, waitsFor(start + hour * 1000))
    expect(runs.count).toBe(1)
    clock.advanceSeconds(hour - 1)
    await bothNodes(cluster, run, waitsFor(start + hour * 1000))
    expect(runs.count).toBe(1)
    clock.advanceSeconds(1)
    await bothNodes(cluster, run, waitsFor(start + 2 * hour * 1000))
    expect(runs.count).toBe(2)
    clock.advanceSeconds(5.5 * hour)
    await bothNodes(cluster, run, waitsFor(start + 7 * hour * 1000))
    expect(runs.count).toBe(3)
  })

  it('go on from period to period while the nodes run', async () => {
    const cluster = await createCluster()
    const nodes = [await cluster.addNode(), await cluster.addNode()]
    const runs = new Counter()
    let running = 0
    for (const { jobs } of nodes) {
      jobs.registerPeriodic('tick', 0.05, async () => {
        expect(++running).toBe(1)
        await turn()
        running--
        runs.add()
      })
    }
    const startedAt = Date.now()
    await Promise.all(nodes.map(({ jobs }) => jobs.start()))
    await runs.reaches(5)
    await Promise.all(nodes.map(({ jobs }) => jobs.stop(1000)))
    expect(runs.count).toBeLessThanOrEqual((Date.now() - startedAt) / 50 + 1)
    expect(await nodes[0]!.db.queries.selectFrom('jobs').select('id').execute()).toHaveLength(1)
    expect(await nodes[0]!.jobs.counts()).toEqual({ waiting: 0, running: 0, dead: 0 })
  })

  it('that fail are tried again, and wait for their next time after the last attempt', async () => {
    const cluster = await createCluster()
    const node = await cluster.addNode()
    const runs = new Counter()
    node.jobs.registerPeriodic('broken', 0.02, async () => {
      runs.add()
      throw new Error('broken')
    })
    await node.jobs.start()
    await runs.reaches(5)
    await node.jobs.stop(1000)
    expect(await row(node)).toMatchObject({ state: 'waiting', last_error: 'broken' })
    expect((await node.jobs.counts()).dead).toBe(0)
  })

  it('follow a shorter period from the next start on', async () => {
    const clock = new ManualClock()
    const cluster = await createCluster(clock)
    const [before, after] = [await cluster.addNode(), await cluster.addNode()]
    const runs = new Counter()
    before.jobs.registerPeriodic('sweep', 10 * hour, async () => runs.add())
    await before.jobs.start()
    await runs.reaches(1)
    await before.jobs.stop(1000)
    after.jobs.registerPeriodic('sweep', hour, async () => runs.add())
    await after.jobs.start()
    expect((await row(after)).due_at).toBe(clock.now() + hour * 1000)
  })
})

describe('the next period', () => {
  it('is on the beat, after now, and at most one period away', () => {
    const time = fc.integer({ min: 0, max: 4e12 })
    fc.assert(
      fc.property(time, fc.integer({ min: 1, max: 1e9 }), time, (runAt, periodMs, now) => {
        const next = nextPeriod(runAt, periodMs, now)
        expect((next - runAt) % periodMs).toBe(0)
        expect(next).toBeGreaterThan(Math.min(now, runAt))
        expect(next).toBeGreaterThan(runAt)
        if (now >= runAt) {
          expect(next).toBeGreaterThan(now)
          expect(next - now).toBeLessThanOrEqual(periodMs)
        }
      }),
    )
  })
})

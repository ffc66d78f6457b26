import { describePostgres } from '@atoll/testkit/both-targets'
import { createPostgresDatabase } from '@atoll/testkit/postgres'
import { expect, it } from 'vitest'
import { systemClock } from '../clock/clock.ts'
import { connect } from '../db/postgres/connection.ts'
import { Dispatcher } from './dispatcher.ts'
import type { RegisteredKind } from './kind.ts'
import { describeClusters, TestCluster, type TestNode } from './testing/cluster.ts'
import { Counter, testKind } from './testing/kind.ts'

const hourMs = 3_600_000

async function dispatching(node: TestNode, lookEveryMs: number, runs: Counter): Promise<Dispatcher> {
  const dispatcher = new Dispatcher(node, lookEveryMs)
  dispatcher.register(testKind(async () => runs.add()) as unknown as RegisteredKind)
  await dispatcher.start()
  return dispatcher
}

/** As if its event had been lost. */
const addSilently = ({ db, ids, clock }: TestNode) =>
  db.queries
    .insertInto('jobs')
    .values({
      id: ids.next('job_'),
      kind: 'test',
      payload: '{"n":1}',
      tenant: '',
      state: 'waiting',
      run_at: clock.now(),
      due_at: clock.now(),
      attempts: 0,
      created_at: clock.now(),
    })
    .execute()

describeClusters('waking the workers', (createCluster) => {
  it('happens by an event at enqueue, from any node', async () => {
    const cluster = await createCluster()
    const [worker, other] = [await cluster.addNode(), await cluster.addNode()]
    const runs = new Counter()
    const dispatcher = await dispatching(worker, hourMs, runs)
    for (let n = 1; n <= 3; n++) {
      await other.db.transaction((tx) =>
        other.jobs.enqueue(
          tx,
          testKind(async () => {}),
          { n },
        ),
      )
      await runs.reaches(n)
    }
    await dispatcher.stop(1000)
  })

  it('happens by a look at the table for what no event told', async () => {
    const cluster = await createCluster()
    const worker = await cluster.addNode()
    const runs = new Counter()
    const dispatcher = await dispatching(worker, 20, runs)
    await addSilently(worker)
    await runs.reaches(1)
    await dispatcher.stop(1000)
  })

  it('ignores events that are none of its own', async () => {
    const cluster = await createCluster()
    const worker = await cluster.addNode()
    const runs = new Counter()
    const dispatcher = await dispatching(worker, hourMs, runs)
    for (const payload of [null, 'jobs', { kind: 1 }, { kind: 'test' }, { kind: 'unknown', dueAt: 0 }]) {
      await worker.db.transaction((tx) => worker.events.publish(tx, 'jobs', payload))
    }
    await worker.db.transaction((tx) =>
      worker.jobs.enqueue(
        tx,
        testKind(async () => {}),
        { n: 1 },
      ),
    )
    await runs.reaches(1)
    await dispatcher.stop(1000)
    expect(runs.count).toBe(1)
  })
})

describePostgres('waking the workers after a gap in the events', () => {
  it('happens by a look at the table as soon as the connection is back', async () => {
    const url = await createPostgresDatabase()
    const cluster = new TestCluster({ kind: 'postgres', url }, systemClock)
    const worker = await cluster.addNode()
    const runs = new Counter()
    const dispatcher = await dispatching(worker, hourMs, runs)
    await addSilently(worker)
    const client = await connect(url)
    const listeners = `from pg_stat_activity where datname = current_database() and query ilike 'listen %'`
    expect((await client.query(`select pg_terminate_backend(pid) ${listeners}`)).rowCount).toBe(1)
    await client.end()
    await runs.reaches(1)
    await dispatcher.stop(1000)
    await cluster.close()
  })
})

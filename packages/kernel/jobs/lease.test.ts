import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ManualClock } from '../clock/clock.ts'
import type { Database } from '../db/database.ts'
import { LeaseLost } from './jobs.ts'
import { Lease } from './lease.ts'
import { describeClusters, type TestNode } from './testing/cluster.ts'
import { aborted, Gate, testKind } from './testing/kind.ts'
import { add, rows, until } from './testing/steps.ts'

const row = async (node: TestNode) => (await rows(node))[0]

/** A network between a node and its database that a test can cut. */
class Link {
  #cut = false

  cut(): void {
    this.#cut = true
  }

  heal(): void {
    this.#cut = false
  }

  between = (db: Database): Database => {
    const link = this
    return {
      ...db,
      get queries() {
        if (link.#cut) throw new Error('The database cannot be reached.')
        return db.queries
      },
    }
  }
}

const heartbeatMs = 100
const leaseSeconds = (heartbeatMs * 3) / 1000

describeClusters('leases on jobs', (createCluster) => {
  it('are renewed while the handler runs', async () => {
    const clock = new ManualClock()
    const node = await (await createCluster(clock)).addNode()
    const gate = new Gate()
    const kind = testKind(gate.run, { leaseSeconds })
    node.jobs.register(kind)
    await node.jobs.start()
    await add(node, kind)
    const { signal } = await gate.entered
    for (let renewal = 1; renewal <= 5; renewal++) {
      clock.advanceSeconds(leaseSeconds / 2)
      const renewedUntil = clock.now() + leaseSeconds * 1000
      await until(async () => (await row(node))?.due_at === renewedUntil)
    }
    expect(signal.aborted).toBe(false)
    gate.open()
    await until(async () => (await row(node)) === undefined)
  })

  it('that ended are taken over by another node, and the first one cannot end the job any more', async () => {
    const clock = new ManualClock()
    const cluster = await createCluster(clock)
    const link = new Link()
    const [lost, taker] = [await cluster.addNode(link.between), await cluster.addNode()]
    const [first, second] = [new Gate(), new Gate()]
    const kind = testKind(first.run, { leaseSeconds })
    lost.jobs.register(kind)
    taker.jobs.register({ ...kind, leaseSeconds: 30, run: second.run })
    await lost.jobs.start()
    await add(lost, kind)
    const firstRun = await first.entered

    link.cut()
    clock.advanceSeconds(leaseSeconds)
    await aborted(firstRun.signal)
    expect(firstRun.signal.reason).toBeInstanceOf(LeaseLost)

    await taker.jobs.start()
    const secondRun = await second.entered
    expect([firstRun.attempt, secondRun.attempt]).toEqual([1, 2])
    expect(secondRun.id).toBe(firstRun.id)

    link.heal()
    await expect(lost.db.transaction((tx) => firstRun.finish(tx))).rejects.toThrow(LeaseLost)
    await expect(lost.db.transaction((tx) => firstRun.confirm(tx))).rejects.toThrow(LeaseLost)
    await taker.db.transaction((tx) => secondRun.confirm(tx))
    first.open()
    await first.left
    await lost.jobs.stop(1000)
    expect(await row(taker)).toMatchObject({ state: 'running', leased_by: taker.nodeId, attempts: 2 })
    second.open()
    await until(async () => (await row(taker)) === undefined)
  })

  it('that ended cannot end the job, even before another node has taken it', async () => {
    const clock = new ManualClock()
    const link = new Link()
    const node = await (await createCluster(clock)).addNode(link.between)
    const gate = new Gate()
    const kind = testKind(gate.run, { leaseSeconds })
    node.jobs.register(kind)
    await node.jobs.start()
    await add(node, kind)
    const running = await gate.entered
    link.cut()
    clock.advanceSeconds(leaseSeconds)
    await aborted(running.signal)
    link.heal()
    await expect(node.db.transaction((tx) => running.finish(tx))).rejects.toThrow(LeaseLost)
    await expect(node.db.transaction((tx) => running.confirm(tx))).rejects.toThrow(LeaseLost)
    gate.open()
    await node.jobs.stop(1000)
    expect(await row(node)).toMatchObject({ attempts: 1 })
  })

  it('that another node has taken abort the first one at its next heartbeat', async () => {
    const node = await (await createCluster()).addNode()
    const gate = new Gate()
    const kind = testKind(gate.run, { leaseSeconds })
    node.jobs.register(kind)
    await node.jobs.start()
    await add(node, kind)
    const { signal } = await gate.entered
    await node.db.queries
      .updateTable('jobs')
      .set({ lease_token: 'another', due_at: Date.now() + 60_000 })
      .execute()
    await aborted(signal)
    gate.open()
    await node.jobs.stop(1000)
    expect(await row(node)).toMatchObject({ state: 'running', lease_token: 'another' })
  })

  it('are missed at the next heartbeat, even after a finish that was undone', async () => {
    // Its time stands still: nothing but the heartbeat can tell.
    const clock = new ManualClock()
    const node = await (await createCluster(clock)).addNode()
    const gate = new Gate()
    const kind = testKind(gate.run, { leaseSeconds })
    node.jobs.register(kind)
    await node.jobs.start()
    await add(node, kind)
    const running = await gate.entered
    const undone = node.db.transaction(async (tx) => {
      await running.finish(tx)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await node.db.queries
      .updateTable('jobs')
      .set({ lease_token: 'another', due_at: clock.now() + 60_000 })
      .execute()
    await aborted(running.signal)
    expect(running.signal.reason).toBeInstanceOf(LeaseLost)
    gate.open()
    await node.jobs.stop(1000)
    expect(await row(node)).toMatchObject({ state: 'running', lease_token: 'another' })
  })

  it('end when their row says so, however long the claim was on its way', async () => {
    const clock = new ManualClock()
    const link = new Link()
    const node = await (await createCluster(clock)).addNode(link.between)
    const claimed = { id: 'job_1', kind: 'test', payload: '{}', run_at: 0, attempts: 1, tenant: '', token: 't' }
    const leaseUntil = clock.now() + 1
    const lease = new Lease(node, { ...claimed, lane: null, unique_key: null, leaseUntil }, leaseSeconds * 1000)
    link.cut()
    clock.advanceSeconds(0.001)
    await aborted(lease.signal)
  })

  it('a handler that fails after losing its lease changes nothing', async () => {
    const node = await (await createCluster()).addNode()
    const gate = new Gate()
    const kind = testKind(async (job) => {
      await gate.run(job)
      throw new Error('failed late')
    })
    node.jobs.register(kind)
    await node.jobs.start()
    await add(node, kind)
    await gate.entered
    await node.db.queries.updateTable('jobs').set({ lease_token: 'another' }).execute()
    gate.open()
    await node.jobs.stop(1000)
    expect(await row(node)).toMatchObject({ state: 'running', lease_token: 'another', last_error: null })
  })

  it('an effect written together with the end of the job is undone when the lease is lost', async () => {
    const node = await (await createCluster()).addNode()
    const outcome = Promise.withResolvers<unknown>()
    const kind = testKind(async (job) => {
      await node.db.queries.updateTable('jobs').set({ lease_token: 'another' }).execute()
      const work = node.db.transaction(async (tx) => {
        await tx.insertInto('effects').values({ job: job.id, note: 'written' }).execute()
        await job.finish(tx)
      })
      outcome.resolve(await work.catch((error: unknown) => error))
    })
    node.jobs.register(kind)
    await node.jobs.start()
    await add(node, kind)
    expect(await outcome.promise).toBeInstanceOf(LeaseLost)
    expect(await node.db.queries.selectFrom('effects').selectAll().execute()).toEqual([])
    await node.jobs.stop(1000)
    expect(await row(node)).toMatchObject({ lease_token: 'another' })
  })

  it('the end of a job is written once the database can be reached again', async () => {
    const cluster = await createCluster()
    const link = new Link()
    const node = await cluster.addNode(link.between)
    const watcher = await cluster.addNode()
    const gate = new Gate()
    const kind = testKind(gate.run)
    node.jobs.register(kind)
    await node.jobs.start()
    await add(node, kind)
    await gate.entered
    link.cut()
    gate.open()
    await gate.left
    await turn()
    expect(await row(watcher)).toMatchObject({ state: 'running' })
    link.heal()
    await until(async () => (await row(watcher)) === undefined)
  })

  it('a job whose nodes keep dying becomes a dead letter', async () => {
    const clock = new ManualClock()
    const cluster = await createCluster(clock)
    const [doomed, last] = [await cluster.addNode(), await cluster.addNode()]
    let runs = 0
    const kind = testKind(async () => void runs++, { maxAttempts: 2 })
    await add(doomed, kind)
    // What a node that dies in the middle of its attempt leaves behind.
    await doomed.db.queries
      .updateTable('jobs')
      .set({ state: 'running', attempts: 2, lease_token: 'dead', due_at: clock.now() + 1000 })
      .execute()
    clock.advanceSeconds(1)
    last.jobs.register(kind)
    await last.jobs.start()
    await until(async () => (await last.jobs.counts()).dead === 1)
    expect(runs).toBe(0)
    expect((await row(last))?.last_error).toContain('2 times')
  })
})

import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ManualClock } from '../clock/clock.ts'
import { JobFailed } from './jobs.ts'
import { describeClusters, type TestNode } from './testing/cluster.ts'
import { aborted, Counter, Gate, testKind } from './testing/kind.ts'
import { add, addAll, ended, rows, until } from './testing/steps.ts'

const lanes = ({ db }: TestNode) => db.queries.selectFrom('job_lanes').selectAll().execute()

describeClusters('lanes', (createCluster) => {
  it('run their jobs one after the other, in the order they came, on two nodes', async () => {
    const cluster = await createCluster()
    const nodes = [await cluster.addNode(), await cluster.addNode()] as const
    const order: number[][] = [[], [], []]
    const running = [0, 0, 0]
    const kind = testKind(async ({ payload: { n } }) => {
      expect(++running[n % 3]!).toBe(1)
      await turn()
      order[n % 3]!.push(n)
      running[n % 3]!--
    })
    for (const { jobs } of nodes) jobs.register(kind)
    await Promise.all(nodes.map(({ jobs }) => jobs.start()))
    for (let n = 0; n < 30; n++) await add(nodes[n % 2] as TestNode, kind, n, { lane: `${n % 3}` })
    await ended(nodes[0])
    for (const lane of order) expect(lane).toEqual(lane.toSorted((one, other) => one - other))
    expect(order.flat()).toHaveLength(30)
    expect(await lanes(nodes[0])).toEqual([])
  })

  it('wait behind a job that is tried again, go on after one that dies, and hold up nobody else', async () => {
    const node = await (await createCluster()).addNode()
    const order: string[] = []
    const kind = testKind(async ({ payload: { n }, attempt }) => {
      order.push(`${n}/${attempt}`)
      if (n === 0) throw new Error('no')
    })
    await addAll(node, kind, 3, () => ({ lane: 'a' }))
    await add(node, kind, 9, { lane: 'b' })
    node.jobs.register(kind)
    await node.jobs.start()
    await until(async () => (await rows(node)).every(({ state }) => state === 'dead'))
    expect(order.filter((name) => !name.startsWith('9'))).toEqual(['0/1', '0/2', '0/3', '1/1', '2/1'])
    expect(order).toContain('9/1')
    expect(await lanes(node)).toEqual([])
  })

  it('keep the time of a job that is made for later, and of none behind it', async () => {
    const clock = new ManualClock()
    const node = await (await createCluster(clock)).addNode()
    const kind = testKind(async () => {})
    const later = clock.now() + 60_000
    await add(node, kind, 0, { lane: 'a', runAt: later })
    await add(node, kind, 1, { lane: 'a', runAt: later })
    await add(node, kind, 2, { lane: 'a' })
    await add(node, kind, 3, { lane: 'b' })
    const times = (await rows(node)).map(({ ready_at, due_at }) => [ready_at, due_at])
    expect(times).toEqual([
      [null, later],
      [null, null],
      [null, null],
      [clock.now(), null],
    ])
  })

  it('are taken over where a node left them, and keep their order', async () => {
    const clock = new ManualClock()
    const cluster = await createCluster(clock)
    const [gone, next] = [await cluster.addNode(), await cluster.addNode()]
    const order: number[] = []
    const kind = testKind(async ({ payload: { n } }) => void order.push(n))
    await addAll(gone, kind, 3, () => ({ lane: 'a' }))
    // What a node that dies in the middle of its attempt leaves behind.
    await gone.db.queries
      .updateTable('jobs')
      .set({ state: 'running', attempts: 1, lease_token: 'dead', ready_at: null, due_at: clock.now() + 1000 })
      .where('ready_at', 'is not', null)
      .execute()
    clock.advanceSeconds(1)
    next.jobs.register(kind)
    await next.jobs.start()
    await ended(next)
    expect(order).toEqual([0, 1, 2])
  })

  it('go on when a job of theirs is cancelled, whether it waits or runs', async () => {
    const node = await (await createCluster()).addNode()
    const gate = new Gate()
    const seen: number[] = []
    const kind = testKind(async (job) => {
      seen.push(job.payload.n)
      if (job.payload.n === 0) await gate.run(job)
    })
    node.jobs.register(kind)
    await node.jobs.start()
    await addAll(node, kind, 4, () => ({ lane: 'a' }))
    const first = await gate.entered
    const second = (await rows(node))[1]!.id
    const cancel = (id: string) => node.db.transaction((tx) => node.jobs.cancel(tx, id))
    expect(await cancel(second)).toBe(true)
    expect(await cancel(second)).toBe(false)
    expect(await cancel(first.id)).toBe(true)
    await aborted(first.signal)
    gate.open()
    await ended(node)
    expect(seen).toEqual([0, 2, 3])
    expect(await lanes(node)).toEqual([])
  })
})

describeClusters('the failure of a job', (createCluster) => {
  it('may be final, may not count, may name its own pause, and is noted in the commit that ends the attempt', async () => {
    const node = await (await createCluster()).addNode()
    const kind = testKind(
      async ({ payload: { n }, attempt }) => {
        if (n === 1) throw new JobFailed('never', { isFinal: true })
        if (noted.reached < 4) throw new JobFailed('busy', { isCounted: false, retryAfterMs: 1 })
        expect(attempt).toBe(1)
      },
      {
        maxAttempts: 2,
        released: async (tx, { id, end, error, payload }) => {
          await tx
            .insertInto('effects')
            .values({ job: id, note: `${payload.n} ${end}: ${error}` })
            .execute()
          node.db.afterCommit(tx, () => void noted.reached++)
        },
      },
    )
    const noted = { reached: 0 }
    node.jobs.register(kind)
    await node.jobs.start()
    await add(node, kind, 1)
    await until(async () => noted.reached === 1)
    await add(node, kind, 2)
    await until(async () => (await rows(node)).every(({ state }) => state === 'dead'))
    const notes = (await node.db.queries.selectFrom('effects').selectAll().execute()).map(({ note }) => note)
    expect(notes).toEqual(['1 dead: never', '2 retry: busy', '2 retry: busy', '2 retry: busy'])
  })
})

describeClusters('a job that is asked for again', (createCluster) => {
  it('comes sooner while it waits, and runs once more when it was running', async () => {
    const node = await (await createCluster()).addNode()
    const gate = new Gate()
    const runs = new Counter()
    const kind = testKind(async (job) => {
      runs.add()
      if (runs.count === 1) await gate.run(job)
    })
    node.jobs.register(kind)
    await node.jobs.start()
    const key = { uniqueKey: 'k', again: true }
    expect(await add(node, kind, 1, { ...key, runAt: node.clock.now() + 3_600_000 })).toBeDefined()
    expect(await add(node, kind, 1, { ...key, runAt: node.clock.now() + 20 })).toBeUndefined()
    await gate.entered
    for (let asked = 0; asked < 3; asked++) expect(await add(node, kind, 1, key)).toBeUndefined()
    gate.open()
    await ended(node)
    expect(runs.count).toBe(2)
  })
})

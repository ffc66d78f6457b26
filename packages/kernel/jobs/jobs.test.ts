import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { ManualClock } from '../clock/clock.ts'
import { describeClusters, type TestNode } from './testing/cluster.ts'
import { Counter, Gate, testKind } from './testing/kind.ts'
import { add, ended, rows, until } from './testing/steps.ts'

const none = { waiting: 0, running: 0, dead: 0 }

describeClusters('jobs', (createCluster) => {
  it('run what was committed and nothing that was rolled back', async () => {
    const node = await (await createCluster()).addNode()
    const seen: number[] = []
    const kind = testKind(async ({ payload }) => void seen.push(payload.n))
    node.jobs.register(kind)
    await node.jobs.start()
    const failing = node.db.transaction(async (tx) => {
      await node.jobs.enqueue(tx, kind, { n: 1 })
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await add(node, kind, 2)).toMatch(/^job_/)
    await ended(node)
    expect(seen).toEqual([2])
    expect(await node.jobs.counts()).toEqual(none)
  })

  it('are added by the thousand', async () => {
    const node = await (await createCluster()).addNode()
    const kind = testKind(async () => undefined)
    node.jobs.register(kind)
    const work = Array.from({ length: 1_001 }, (_, n) => ({ payload: { n } }))
    await node.db.transaction((tx) => node.jobs.enqueueAll(tx, kind, work))
    const numbers = (await rows(node)).map(({ payload }) => JSON.parse(payload).n)
    expect(numbers.toSorted((one, other) => one - other)).toEqual(work.map((_, n) => n))
  })

  it('process nothing before the start, and then all that waits', async () => {
    const node = await (await createCluster()).addNode()
    const seen: number[] = []
    const kind = testKind(async ({ payload }) => void seen.push(payload.n))
    node.jobs.register(kind)
    for (const n of [1, 2, 3]) await add(node, kind, n)
    expect(seen).toEqual([])
    expect(await node.jobs.counts()).toEqual({ ...none, waiting: 3 })
    await node.jobs.start()
    await ended(node)
    expect(seen.sort()).toEqual([1, 2, 3])
  })

  it('run each job exactly once on two nodes', async () => {
    const cluster = await createCluster()
    const runs = new Map<number, number>()
    const kind = testKind(async ({ payload }) => void runs.set(payload.n, (runs.get(payload.n) ?? 0) + 1))
    const nodes = [await cluster.addNode(), await cluster.addNode()] as const
    for (const { jobs } of nodes) jobs.register(kind)
    const half = (from: number) =>
      Promise.all(Array.from({ length: 200 }, (_, n) => add(nodes[n % 2] as TestNode, kind, from + n)))
    await half(0)
    await Promise.all(nodes.map(({ jobs }) => jobs.start()))
    await half(200)
    await ended(nodes[0])
    expect([...runs.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: 400 }, (_, n) => n))
    expect(new Set(runs.values())).toEqual(new Set([1]))
  })

  it('run no more of a kind at once than it allows', async () => {
    const node = await (await createCluster()).addNode()
    let [running, most] = [0, 0]
    const kind = testKind(
      async () => {
        most = Math.max(most, ++running)
        await turn()
        running--
      },
      { concurrency: 3 },
    )
    node.jobs.register(kind)
    await node.db.transaction(async (tx) => {
      for (let n = 0; n < 30; n++) await node.jobs.enqueue(tx, kind, { n })
    })
    await node.jobs.start()
    await ended(node)
    expect(most).toBe(3)
  })

  it('leave kinds alone that this node does not know', async () => {
    const cluster = await createCluster()
    const [first, second] = [await cluster.addNode(), await cluster.addNode()]
    const known = testKind(async () => {}, { name: 'known' })
    const seen: number[] = []
    const foreign = testKind(async ({ payload }) => void seen.push(payload.n), { name: 'foreign' })
    first.jobs.register(known)
    await first.jobs.start()
    await add(first, foreign, 7)
    await add(first, known)
    await until(async () => (await rows(first)).length === 1)
    expect(await rows(first)).toMatchObject([{ kind: 'foreign', state: 'waiting', attempts: 0 }])
    second.jobs.register(foreign)
    await second.jobs.start()
    await ended(second)
    expect(seen).toEqual([7])
  })

  it('wait for their time', async () => {
    const clock = new ManualClock()
    const cluster = await createCluster(clock)
    const node = await cluster.addNode()
    const seen: number[] = []
    const kind = testKind(async ({ payload }) => void seen.push(payload.n), { concurrency: 1 })
    node.jobs.register(kind)
    await node.jobs.start()
    await add(node, kind, 1, { runAt: clock.now() + 5000 })
    await add(node, kind, 2)
    await until(async () => (await rows(node)).length === 1)
    expect(seen).toEqual([2])
    clock.advanceSeconds(5)
    const later = await cluster.addNode()
    later.jobs.register(kind)
    await later.jobs.start()
    await ended(node)
    expect(seen).toEqual([2, 1])
  })

  it('come by timer when their time is near', async () => {
    const node = await (await createCluster()).addNode()
    const ran = new Counter()
    let ranAt = 0
    const kind = testKind(async () => {
      ranAt = node.clock.now()
      ran.add()
    })
    node.jobs.register(kind)
    await node.jobs.start()
    const runAt = node.clock.now() + 150
    await add(node, kind, 1, { runAt })
    await ran.reaches(1)
    expect(ranAt).toBeGreaterThanOrEqual(runAt)
  })

  it('are tried again after the pause of their kind, and die after the last attempt', async () => {
    const node = await (await createCluster()).addNode()
    const attempts: { attempt: number; at: number }[] = []
    const pauses: number[] = []
    const kind = testKind(
      async ({ attempt }) => {
        attempts.push({ attempt, at: node.clock.now() })
        throw new Error(`broken\0 ${'x'.repeat(5000)}`)
      },
      {
        backoffSeconds: (attempt) => {
          pauses.push(attempt)
          return 0.05
        },
      },
    )
    node.jobs.register(kind)
    await node.jobs.start()
    await add(node, kind, 1, { uniqueKey: 'one' })
    await until(async () => (await node.jobs.counts()).dead === 1)
    expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    for (const [index, { at }] of attempts.slice(1).entries()) {
      expect(at - attempts[index]!.at).toBeGreaterThanOrEqual(50)
    }
    expect(pauses).toEqual([1, 2])
    const [dead] = await rows(node)
    expect(dead).toMatchObject({ state: 'dead', due_at: null, unique_key: null, lease_token: null, attempts: 3 })
    expect(dead?.last_error).toMatch(/^broken x+$/)
    expect(dead?.last_error).toHaveLength(1000)
  })

  it.each([
    ['no pause', () => Number.NaN],
    ['an error for a pause', () => JSON.parse('{')],
    ['a pause without end', () => Number.POSITIVE_INFINITY],
  ])('outlive a handler that throws no error, and a kind that gives %s', async (_, backoffSeconds) => {
    const node = await (await createCluster(new ManualClock())).addNode()
    const kind = testKind(
      async () => {
        throw Object.create(null)
      },
      { backoffSeconds },
    )
    node.jobs.register(kind)
    await node.jobs.start()
    await add(node, kind)
    await until(async () => (await rows(node))[0]?.last_error != null)
    expect(await rows(node)).toMatchObject([{ state: 'waiting', attempts: 1, due_at: node.clock.now() + 60_000 }])
  })

  it('die at once when their payload does not fit what this node knows', async () => {
    const node = await (await createCluster()).addNode()
    const runs = new Counter()
    const older = testKind(async () => {})
    node.jobs.register({
      ...older,
      payload: z.object({ n: z.number(), added: z.string() }),
      run: async () => runs.add(),
    })
    await add(node, older)
    await node.jobs.start()
    await until(async () => (await node.jobs.counts()).dead === 1)
    expect(runs.count).toBe(0)
    expect((await rows(node))[0]).toMatchObject({ attempts: 1, last_error: expect.stringContaining('added') })
  })

  it('refuse a payload that does not fit while it is enqueued', async () => {
    const node = await (await createCluster()).addNode()
    const kind = testKind(async () => {})
    await expect(add(node, kind, Number.NaN)).rejects.toThrow('test job does not fit')
    expect(await rows(node)).toEqual([])
  })

  it('are added once for a unique key, however many ask at the same time', async () => {
    const cluster = await createCluster()
    const nodes = [await cluster.addNode(), await cluster.addNode()]
    const gate = new Gate()
    const kind = testKind(gate.run)
    const other = testKind(async () => {}, { name: 'other' })
    const ask = () => Promise.all(Array.from({ length: 20 }, (_, n) => add(nodes[n % 2]!, kind, n, { uniqueKey: 'k' })))
    expect((await ask()).filter((id) => id !== undefined)).toHaveLength(1)
    expect(await add(nodes[0]!, other, 1, { uniqueKey: 'k' })).toBeDefined()
    expect(await add(nodes[0]!, kind, 1, { uniqueKey: 'another' })).toBeDefined()
    nodes[0]!.jobs.register({ ...kind, concurrency: 1 })
    nodes[0]!.jobs.register(other)
    await nodes[0]!.jobs.start()
    await gate.entered
    expect((await ask()).filter((id) => id !== undefined)).toHaveLength(0)
    gate.open()
    await ended(nodes[0]!)
    expect(await add(nodes[0]!, kind, 1, { uniqueKey: 'k' })).toBeDefined()
  })

  it('let a handler end them in its own transaction', async () => {
    const node = await (await createCluster()).addNode()
    const left = new Counter()
    const kind = testKind(async (job) => {
      await node.db.transaction(async (tx) => {
        await tx.insertInto('effects').values({ job: job.id, note: 'written' }).execute()
        await job.finish(tx)
      })
      left.add()
      // The job is over: what happens from here on cannot bring it back.
      throw new Error('too late')
    })
    node.jobs.register(kind)
    await node.jobs.start()
    const id = await add(node, kind)
    await left.reaches(1)
    await node.jobs.stop(1000)
    expect(await rows(node)).toEqual([])
    expect(await node.db.queries.selectFrom('effects').select('job').execute()).toEqual([{ job: id }])
  })

  it('refuse to be registered twice, late, or with nonsense', async () => {
    const { jobs } = await (await createCluster()).addNode()
    const kind = testKind(async () => {})
    jobs.register(kind)
    expect(() => jobs.register(kind)).toThrow('named test')
    expect(() => jobs.register({ ...kind, name: 'idle', concurrency: 0 })).toThrow('idle')
    expect(() => jobs.register({ ...kind, name: 'held', leaseSeconds: 1e9 })).toThrow('held')
    expect(() => jobs.register({ ...kind, name: 'periodic/sweep' })).toThrow('periodic/sweep')
    expect(() => jobs.registerPeriodic('often', 0, async () => {})).toThrow('often')
    await jobs.start()
    expect(() => jobs.register({ ...kind, name: 'late' })).toThrow('late')
    await expect(jobs.start()).rejects.toThrow('once')
  })
})

import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { describeClusters } from './testing/cluster.ts'
import { aborted, Counter, Gate, testKind } from './testing/kind.ts'
import { add, ended, rows } from './testing/steps.ts'

describeClusters('stopping jobs', (createCluster) => {
  it('lets running jobs end within the time given, and takes no new ones', async () => {
    const node = await (await createCluster()).addNode()
    const gate = new Gate()
    const kind = testKind(gate.run, { concurrency: 1 })
    node.jobs.register(kind)
    await node.jobs.start()
    await add(node, kind, 1)
    const { signal } = await gate.entered
    await add(node, kind, 2)
    const stopped = node.jobs.stop(20_000)
    gate.open()
    await stopped
    expect(signal.aborted).toBe(false)
    expect(await rows(node)).toMatchObject([{ payload: '{"n":2}', state: 'waiting', attempts: 0 }])
  })

  it('aborts what takes longer and hands it back at once, its attempt uncounted', async () => {
    const cluster = await createCluster()
    const [first, second] = [await cluster.addNode(), await cluster.addNode()]
    const entered = new Counter()
    const attempts: number[] = []
    first.jobs.register(
      testKind(async ({ signal }) => {
        entered.add()
        // Returning without a word is not finishing.
        await aborted(signal)
      }),
    )
    const kind = testKind(async ({ attempt }) => void attempts.push(attempt))
    second.jobs.register(kind)
    await first.jobs.start()
    await add(first, kind)
    await entered.reaches(1)
    await second.jobs.start()
    await first.jobs.stop(0)
    await ended(second)
    expect(attempts).toEqual([1])
  })

  it('hands back at once what a claim under way brings', async () => {
    const node = await (await createCluster()).addNode()
    const runs = new Counter()
    const kind = testKind(async () => runs.add())
    node.jobs.register(kind)
    await add(node, kind)
    // The first look has sent its claim when start resolves; the answer finds the node stopping.
    await node.jobs.start()
    await node.jobs.stop(0)
    expect(runs.count).toBe(0)
    expect(await rows(node)).toMatchObject([{ state: 'waiting', attempts: 0, lease_token: null }])
  })

  it('does not wait for a handler that ignores its signal', async () => {
    const node = await (await createCluster()).addNode()
    const gate = new Gate()
    const kind = testKind(gate.run)
    node.jobs.register(kind)
    await node.jobs.start()
    await add(node, kind)
    await gate.entered
    await node.jobs.stop(0)
    expect(await rows(node)).toMatchObject([{ state: 'waiting', attempts: 0, lease_token: null }])
    gate.open()
    await gate.left
    await turn()
    expect(await rows(node)).toHaveLength(1)
  })
})

// What a manager that led can still do when another leads: nothing. Over a real etcd.
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '@atoll/testkit/silent-log'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EtcdClient } from '../store/etcd-client.ts'
import { EtcdProcess } from '../store/etcd-process.ts'
import type { KeptNode, KeptTask } from '../store/objects.ts'
import { SwarmStore } from '../store/swarm-store.ts'
import { hasEtcd } from '../testing/start-swarm.ts'
import { Leadership } from './leadership.ts'
import { NodeHealth } from './node-health.ts'

const worker = {
  ...{ ID: 'worker', Version: { Index: 0 }, CreatedAt: '', UpdatedAt: '' },
  Spec: { Role: 'worker', Availability: 'active', Labels: {} },
  Status: { State: 'ready', Message: '', Addr: '' },
} as unknown as KeptNode
const task = { ID: 'task', Version: { Index: 0 }, ServiceID: 'web', Status: { State: 'new' } } as unknown as KeptTask

type Led = Parameters<ConstructorParameters<typeof Leadership>[0]['lead']>[0]

describe.skipIf(!hasEtcd)('a manager that leads no longer', () => {
  let folder: string
  let etcd: EtcdProcess
  let client: EtcdClient
  let [first, second]: SwarmStore[] = []

  beforeEach(async () => {
    folder = mkdtempSync('/tmp/ae-')
    etcd = new EtcdProcess(join(folder, 'etcd'), silentLog)
    client = await etcd.start({})
    ;[first, second] = [0, 1].map(() => new SwarmStore(client, silentLog, () => Date.now()))
    await Promise.all([first!.open(), second!.open()])
    await first!.commit([{ kind: 'node', object: worker, index: 0 }])
  })

  afterEach(async () => {
    first!.close()
    second!.close()
    await etcd.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Resolves when it leads. */
  const lead = (store: SwarmStore, nodeId: string): Promise<{ led: Led; leadership: Leadership }> =>
    new Promise((resolve) => {
      const leadership = new Leadership({
        ...{ client, store, nodeId, log: silentLog },
        async lead(led) {
          resolve({ led, leadership })
          return async () => {}
        },
      })
      void leadership.start()
    })

  it('writes down neither that a worker is gone nor a task: what it knows is of before', async () => {
    const before = await lead(first!, 'first')
    const health = new NodeHealth({ store: before.led, log: silentLog, periodMs: () => 60_000 })
    expect(await before.led.commit([{ kind: 'task', object: task, index: 0 }])).toBe(true)
    await before.leadership.stop()
    const after = await lead(second!, 'second')
    const seen = second!.get('node', 'worker')
    const gone = health.down('worker', 'heartbeat failure')
    const another = { ...task, ID: 'another' }
    await expect(before.led.commit([{ kind: 'task', object: another, index: 0 }])).rejects.toThrow('another manager')
    await expect(before.led.commit([], [{ kind: 'task', id: 'task' }])).rejects.toThrow('another manager leads')
    expect(await after.led.commit([{ kind: 'task', object: { ...task, ID: 'next' }, index: 0 }])).toBe(true)
    health.stop()
    await gone
    expect(second!.get('node', 'worker')).toEqual(seen)
    expect(second!.all('task').map(({ ID }) => ID)).toEqual(['task', 'next'])
    await after.leadership.stop()
  })

  it('is contradicted by the worker: one that says it is there is no longer down', async () => {
    const { led, leadership } = await lead(first!, 'first')
    const health = new NodeHealth({ store: led, log: silentLog, periodMs: () => 60_000 })
    await health.down('worker', 'heartbeat failure')
    expect(first!.get('node', 'worker')?.Status.State).toBe('down')
    health.beat('worker')
    await expect.poll(() => first!.get('node', 'worker')?.Status).toMatchObject({ State: 'ready', Message: '' })
    health.stop()
    await leadership.stop()
  })

  it('leaves its workers time to notice: the next leader waits for them longer than for those that it has heard', async () => {
    await first!.commit([{ kind: 'node', object: { ...worker, ID: 'here' }, index: 0 }])
    const { led, leadership } = await lead(second!, 'second')
    const down: string[] = []
    second!.listen(({ id, after }) => {
      if ((after as KeptNode | undefined)?.Status?.State === 'down') down.push(id)
    })
    const health = new NodeHealth({ store: led, log: silentLog, periodMs: () => 200 })
    health.beat('here')
    await expect.poll(() => down, { timeout: 10_000 }).toEqual(['here', 'worker'])
    health.stop()
    await leadership.stop()
  })
})

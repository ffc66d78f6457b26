// Many changes at once, over a real etcd.
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '@atoll/testkit/silent-log'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasEtcd } from '../testing/start-swarm.ts'
import { changeObject } from './change-object.ts'
import { ChangeQueue } from './change-queue.ts'
import { EtcdProcess } from './etcd-process.ts'
import type { KeptTask } from './objects.ts'
import { SwarmStore } from './swarm-store.ts'

const count = 120
const ids = Array.from({ length: count }, (_, index) => `task${index}`)
const taskOf = (ID: string, Message = ''): KeptTask =>
  ({ ID, Version: { Index: 0 }, DesiredState: 'running', Status: { State: 'new', Message } }) as unknown as KeptTask
const at =
  (State: KeptTask['Status']['State']) =>
  (task: KeptTask): KeptTask => ({ ...task, Status: { ...task.Status, State } })

describe.skipIf(!hasEtcd)('changes of many tasks at once', () => {
  let folder: string
  let etcd: EtcdProcess
  let store: SwarmStore
  let queue: ChangeQueue<'task'>

  beforeEach(async () => {
    folder = mkdtempSync('/tmp/ae-')
    etcd = new EtcdProcess(join(folder, 'etcd'), silentLog)
    store = new SwarmStore(await etcd.start({}), silentLog, () => Date.now())
    await store.open()
    queue = new ChangeQueue(store, 'task')
  })

  afterEach(async () => {
    store.close()
    await etcd.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const keep = (message = '') =>
    store.commit(ids.map((id) => ({ kind: 'task', object: taskOf(id, message), index: 0 })))
  const revisions = () => new Set(store.all('task').map(({ Version }) => Version.Index)).size

  it('are written together, and each is there when it is acknowledged', async () => {
    await keep()
    await Promise.all(
      ids.flatMap((id) => [
        queue.change(id, at('preparing')),
        queue.change(id, at('running')).then(() => expect(store.get('task', id)?.Status.State).toBe('running')),
      ]),
    )
    expect(store.all('task')).toHaveLength(count)
    expect(revisions()).toBeLessThan(count / 10)
  })

  it('lose nothing that others change meanwhile, and pass over what is gone', async () => {
    await keep()
    await store.commit([], [{ kind: 'task', id: 'task7' }])
    const toEnd = (task: KeptTask): KeptTask => ({ ...task, DesiredState: 'shutdown' })
    await Promise.all([
      ...ids.map((id) => queue.change(id, at('running'))),
      ...ids.map((id) => changeObject(store, 'task', id, toEnd)),
    ])
    const all = store.all('task')
    expect(all).toHaveLength(count - 1)
    expect(all.filter(({ Status }) => Status.State !== 'running')).toEqual([])
    expect(all.filter(({ DesiredState }) => DesiredState !== 'shutdown')).toEqual([])
  })

  it('are written in parts where they are large', async () => {
    const parts = [ids.slice(0, 60), ids.slice(60)]
    const long = 'long '.repeat(5_000)
    for (const part of parts) {
      await store.commit(part.map((id) => ({ kind: 'task', object: taskOf(id, long), index: 0 })))
    }
    await Promise.all(ids.map((id) => queue.change(id, at('running'))))
    expect(store.all('task').filter(({ Status }) => Status.State !== 'running')).toEqual([])
    expect(revisions()).toBeGreaterThan(1)
  })
})

// Which nodes are there, while their store takes nothing for a moment. Over a real etcd.
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '@atoll/testkit/silent-log'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EtcdClient } from '../store/etcd-client.ts'
import { EtcdProcess } from '../store/etcd-process.ts'
import type { LedStore } from '../store/led-store.ts'
import type { KeptNode } from '../store/objects.ts'
import { SwarmStore } from '../store/swarm-store.ts'
import { hasEtcd } from '../testing/start-swarm.ts'
import { NodeHealth } from './node-health.ts'

const nodeOf = (ID: string, Role: string, State: string) =>
  ({
    ...{
      ID,
      Version: { Index: 0 },
      CreatedAt: '',
      UpdatedAt: '',
      Spec: { Role },
      Status: { State, Message: '', Addr: '' },
    },
    Description: { Hostname: ID, TLSInfo: { TrustRoot: 'before' } },
  }) as unknown as KeptNode
const facts = { description: { Hostname: 'told' }, address: '10.0.0.2', dataPath: '10.0.0.2', tunnelKey: undefined }

describe.skipIf(!hasEtcd)('a node, while the store takes nothing', () => {
  let folder: string
  let etcd: EtcdProcess
  let client: EtcdClient
  let store: SwarmStore
  let health: NodeHealth
  let isAway: boolean

  beforeEach(async () => {
    folder = mkdtempSync('/tmp/anh-')
    etcd = new EtcdProcess(join(folder, 'etcd'), silentLog)
    client = await etcd.start({})
    store = new SwarmStore(client, silentLog, () => Date.now())
    await store.open()
    const nodes = [nodeOf('manager', 'manager', 'down'), nodeOf('worker', 'worker', 'down')]
    await store.commit(nodes.map((object) => ({ kind: 'node', object, index: 0 })))
    isAway = true
    const led: LedStore = {
      all: (kind) => store.all(kind),
      get: (kind, id) => store.get(kind, id),
      mark: (name) => store.mark(name),
      listen: (listener) => store.listen(listener),
      listenMarks: (listener) => store.listenMarks(listener),
      async commit(...write) {
        if (isAway) throw new Error('nobody leads now')
        return store.commit(...write)
      },
    }
    health = new NodeHealth({ store: led, log: silentLog, periodMs: () => 60_000 })
  })

  afterEach(async () => {
    health.stop()
    store.close()
    await etcd.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const status = (id: string) => store.get('node', id)?.Status
  const back = () => {
    isAway = false
  }

  it('is there again afterwards, where it is a manager that came back meanwhile', async () => {
    const lease = await client.grantLease(60)
    await store.setMark('present/manager', 'manager', { revision: 0, lease })
    back()
    await expect.poll(() => status('manager'), { timeout: 10_000 }).toMatchObject({ State: 'ready' })
  })

  it('is described afterwards as it was when it came, also when it says meanwhile that it is there', async () => {
    health.ready('worker', facts as unknown as Parameters<typeof health.ready>[1])
    health.beat('worker')
    back()
    await expect.poll(() => status('worker'), { timeout: 10_000 }).toMatchObject({ State: 'ready', Addr: '10.0.0.2' })
    expect(store.get('node', 'worker')?.Description).toEqual({ Hostname: 'told', TLSInfo: { TrustRoot: 'before' } })
  })

  it('is as it was found last: gone, where it went after it had come', async () => {
    health.ready('worker', facts as unknown as Parameters<typeof health.ready>[1])
    const gone = health.down('worker', 'node left the swarm')
    back()
    await gone
    expect(status('worker')).toMatchObject({ State: 'down' })
  })
})

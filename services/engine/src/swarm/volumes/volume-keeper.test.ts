// Volumes of a cluster while another manager begins to lead: over a real etcd, with a plugin that runs by itself.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { silentLog } from '@atoll/testkit/silent-log'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CsiParts } from '../../plugins/csi/csi-calls.ts'
import { CsiController } from '../../plugins/csi/csi-controller.ts'
import type { CsiPlugins } from '../../plugins/csi/csi-plugins.ts'
import { Leadership } from '../manager/leadership.ts'
import type { EtcdClient } from '../store/etcd-client.ts'
import { EtcdProcess } from '../store/etcd-process.ts'
import type { KeptNode, KeptTask, KeptVolume } from '../store/objects.ts'
import { SwarmStore } from '../store/swarm-store.ts'
import { hasEtcd } from '../testing/start-swarm.ts'
import { VolumeKeeper } from './volume-keeper.ts'

const fresh = { Version: { Index: 0 }, CreatedAt: '', UpdatedAt: '' }
const volumeOf = (options: Record<string, string>): KeptVolume => ({
  ...{ ID: 'volume', ...fresh, name: 'data', driver: 'csi', labels: {}, options },
  Spec: { AccessMode: { Scope: 'single', Sharing: 'none' }, Availability: 'active' } as KeptVolume['Spec'],
})
const node = {
  ...{ ID: 'node', ...fresh, Spec: { Role: 'worker' }, Status: { State: 'ready' } },
  csi: [{ plugin: 'csi', nodeId: 'csi-node', maxVolumes: 0, topology: {} }],
} as unknown as KeptNode
const task = {
  ...{ ID: 'task', ...fresh, ServiceID: 'web', NodeID: 'node', DesiredState: 'running', Status: { State: 'running' } },
  ...{ Spec: {}, volumes: [{ ID: 'volume', Source: 'data', Target: '/data' }] },
} as unknown as KeptTask

describe.skipIf(!hasEtcd)('volumes of a cluster, when the leader changes', () => {
  let folder: string
  let etcd: EtcdProcess
  let client: EtcdClient
  let plugin: ChildProcess
  let [first, second] = [] as unknown as [SwarmStore, SwarmStore]
  const leading: Leadership[] = []

  beforeEach(async () => {
    folder = mkdtempSync('/tmp/avk-')
    mkdirSync(join(folder, 'volumes'))
    const path = new URL('../../plugins/csi/testing/sample-csi-plugin.ts', import.meta.url).pathname
    const env = { ...process.env, NODE_NAME: 'one', ZONE: 'a', SOCKET: join(folder, 'csi.sock'), STATE: folder }
    plugin = spawn(process.execPath, [path], { env, stdio: 'inherit' })
    etcd = new EtcdProcess(join(folder, 'etcd'), silentLog)
    client = await etcd.start({})
    ;[first, second] = [0, 1].map(() => new SwarmStore(client, silentLog, () => Date.now())) as [SwarmStore, SwarmStore]
    await Promise.all([first.open(), second.open()])
    await first.commit([{ kind: 'node', object: node, index: 0 }])
    await expect.poll(() => existsSync(join(folder, 'csi.sock')), { timeout: 20_000 }).toBe(true)
  })

  afterEach(async () => {
    for (const leadership of leading.splice(0)) await leadership.stop()
    first.close()
    second.close()
    await etcd.stop()
    const ended = once(plugin, 'exit')
    plugin.kill()
    await ended
    rmSync(folder, { recursive: true, force: true })
  })

  const plugins: CsiPlugins = {
    controller: (name, signal) =>
      new CsiController({
        plugin: () => ({ name, timeoutMs: 30_000 }),
        process: { socket: async () => ({ connect: async () => connect(join(folder, 'csi.sock')) }) },
        signal,
      } as unknown as CsiParts),
    node: () => expect.unreachable(),
    nodes: () => [],
    listen: () => () => {},
  }
  const lead = async (store: SwarmStore, nodeId: string): Promise<Leadership> => {
    const leadership = new Leadership({
      ...{ client, store, nodeId, log: silentLog },
      async lead(led) {
        const parts = { store: led, log: silentLog, plugins, secretsOf: () => ({}) }
        const keeper = new VolumeKeeper({ ...parts, inTurn: (work) => work() })
        return async () => keeper.stop()
      },
    })
    leading.push(leadership)
    await leadership.start()
    return leadership
  }
  const calls = (): { method: string; node?: string }[] => {
    const path = join(folder, 'calls')
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
    return lines.map((line) => JSON.parse(line))
  }
  const asked = (method: string) => calls().filter((call) => call.method === `Controller/${method}`)
  const change = async (how: Partial<KeptVolume>): Promise<void> => {
    // The first one's write may still be on its way there.
    const found = await vi.waitUntil(() => second.get('volume', 'volume'), { timeout: 20_000 })
    expect(await second.commit([{ kind: 'volume', object: { ...found, ...how }, index: found.Version.Index }])).toBe(
      true,
    )
  }
  const until = (what: () => unknown) => expect.poll(what, { timeout: 20_000 })

  it('are not forgotten while their plugin makes them: one that is removed meanwhile is removed there as well', async () => {
    const before = await lead(first, 'first')
    await first.commit([{ kind: 'volume', object: volumeOf({ waits: 'gate' }), index: 0 }])
    await until(() => asked('CreateVolume').length).toBe(1)
    await change({ isRemoving: true })
    await before.stop()
    await lead(second, 'second')
    await until(() => asked('CreateVolume').length).toBe(2)
    writeFileSync(join(folder, 'gate'), '')
    await until(() => second.all('volume')).toEqual([])
    expect(asked('DeleteVolume')).toHaveLength(1)
    expect(readdirSync(join(folder, 'volumes'))).toEqual([])
  })

  it('are removed where their plugin said that it cannot make them', async () => {
    await lead(second, 'second')
    await second.commit([{ kind: 'volume', object: volumeOf({ needs: 'room' }), index: 0 }])
    await until(() => second.get('volume', 'volume')?.problem).toContain('there is no room left')
    await until(() => second.get('volume', 'volume')?.isBeingMade).toBeUndefined()
    const found = second.get('volume', 'volume') as KeptVolume
    await change({ isRemoving: true })
    await until(() => second.all('volume')).toEqual([])
    expect([found.Info, asked('DeleteVolume')]).toEqual([undefined, []])
  })

  it('are taken from a node that is gone, by the name that the plugin knows it by', async () => {
    const before = await lead(first, 'first')
    await first.commit([{ kind: 'volume', object: volumeOf({}), index: 0 }])
    await until(() => second.get('volume', 'volume')?.Info).toBeDefined()
    await second.commit([{ kind: 'task', object: task, index: 0 }])
    await until(() => second.get('volume', 'volume')?.PublishStatus).toMatchObject([{ State: 'published' }])
    await before.stop()
    await second.commit([], [{ kind: 'task', id: 'task' }])
    await second.commit([], [{ kind: 'node', id: 'node' }])
    await lead(second, 'second')
    await until(() => second.get('volume', 'volume')?.PublishStatus).toEqual([])
    expect(asked('ControllerUnpublishVolume')).toMatchObject([{ node: 'csi-node' }])
  })
})

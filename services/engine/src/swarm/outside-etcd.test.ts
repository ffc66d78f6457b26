// Swarms in an etcd that is there already: a real one, with certificates of its own, on one of the machines.
import { createPublicKey } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EngineConfig } from '../config.ts'
import type { IsolatedProcess } from '../testing/isolated.ts'
import { newAuthority } from './identity/authority.ts'
import { certifyNode, newNodeKey } from './identity/node-certificate.ts'
import { startNodes, swarmFolder, type TestNode, type TestNodes } from './testing/start-nodes.ts'
import { hasEtcd, until } from './testing/start-swarm.ts'
import { get, idOf, join, nanos, running, serve, setNode, settled, taken } from './testing/swarm-calls.ts'
import { addressOf } from './testing/wire.ts'

const folder = mkdtempSync('/tmp/oe-')
const path = (name: string): string => joinPath(folder, name)
const url = `https://${addressOf(1)}:2379`
const prefix = '/teams/blue'
/** Nobody is at the first: the next one is asked. */
const swarmStore = {
  ...{ endpoints: [`https://${addressOf(1)}:2`, url], prefix },
  ...{ ca: path('ca.pem'), cert: path('cert.pem'), key: path('key.pem') },
}
const slow = { timeout: 120_000 }
let machines: TestNodes
let [first, second, third]: TestNode[] = []
let etcd: IsolatedProcess | undefined

async function writeCertificates(): Promise<void> {
  const authority = await newAuthority(Date.now())
  const { key, publicKey } = await newNodeKey()
  const name = { nodeId: 'etcd', clusterId: 'outside', role: 'manager' as const }
  const cert = certifyNode(authority, name, createPublicKey(publicKey), {
    ...{ nowMs: Date.now(), lifetimeMs: 3_600_000, addresses: [addressOf(1)] },
  })
  for (const [file, text] of Object.entries({ 'ca.pem': authority.certificate, 'cert.pem': cert, 'key.pem': key })) {
    writeFileSync(path(file), text, { mode: 0o600 })
  }
}

async function startEtcd(...args: string[]): Promise<void> {
  mkdirSync(path('data'), { recursive: true, mode: 0o700 })
  etcd = await first!.host.spawn(
    'etcd',
    [
      ...['--data-dir', path('data'), '--listen-client-urls', url, '--advertise-client-urls', url],
      ...['--listen-peer-urls', 'http://127.0.0.1:2380', '--log-level', 'error', '--client-cert-auth'],
      ...['--cert-file', path('cert.pem'), '--key-file', path('key.pem'), '--trusted-ca-file', path('ca.pem')],
      ...args,
    ],
    { env: { ETCD_UNSUPPORTED_ARCH: process.arch } },
  )
  etcd.child.stdout?.resume()
  etcd.child.stderr?.resume()
}

async function endEtcd(): Promise<void> {
  etcd?.kill('SIGKILL')
  await etcd?.ended
}

const init = (node: TestNode, change: object = {}) =>
  node.call('POST', '/swarm/init', {
    ...{ ListenAddr: '0.0.0.0:2377', AdvertiseAddr: node.address },
    ...{ Spec: { Dispatcher: { HeartbeatPeriod: 2 * nanos } }, ...change },
  })

beforeAll(async () => {
  if (!hasEtcd) return
  await writeCertificates()
  machines = await startNodes(3, undefined, (number) => (number < 3 ? { swarmStore } : {}))
  ;[first, second, third] = machines.nodes as [TestNode, TestNode, TestNode]
}, 240_000)

afterAll(async () => {
  // With the etcd on one of them.
  await machines?.stop()
  rmSync(folder, { recursive: true, force: true })
}, 120_000)

describe.skipIf(!hasEtcd)('an etcd outside', slow, () => {
  it('has to answer, and to take as much at once as a swarm writes', async () => {
    const silent = await init(first!)
    expect([silent.status, silent.body.message]).toEqual([503, expect.stringContaining('does not answer')])
    await startEtcd()
    const small = await init(first!)
    expect([small.status, small.body.message]).toEqual([503, expect.stringContaining('--max-txn-ops 2048')])
    await endEtcd()
    await startEtcd('--max-txn-ops', '2048')
    expect((await get('/info', first!)).Swarm.LocalNodeState).toBe('inactive')
  })

  it('keeps a swarm of several managers, below its prefix, and no machine has an etcd of its own', async () => {
    const odd = await init(first!, { Spec: { Raft: { ElectionTick: 20 } } })
    expect([odd.status, odd.body.message]).toEqual([400, expect.stringContaining('an etcd outside')])
    const begun = await init(first!)
    expect([begun.status, begun.body]).toEqual([200, expect.any(String)])
    const twice = await init(second!)
    expect([twice.status, twice.body.message]).toEqual([409, expect.stringContaining('has a swarm already')])
    expect((await join(second!, first!, 'Manager')).status).toBe(200)
    await settled(first!, 2)
    expect((await serve(second!, 'kept', { Mode: { Replicated: { Replicas: 2 } } })).status).toBe(201)
    await running(first!, 'kept', 2)
    for (const node of [first!, second!])
      expect(existsSync(joinPath(swarmFolder(node.folder), 'etcd/data'))).toBe(false)
    const alone = await init(first!, { ForceNewCluster: true })
    expect([alone.status, alone.body.message]).toEqual([400, expect.stringContaining('not the engine')])
  })

  it('has managers only where its place is known; workers need not know it', async () => {
    const blind = await join(third!, first!, 'Manager')
    expect([blind.status, blind.body.message]).toEqual([400, expect.stringContaining('engine.swarmStore')])
    expect(await get('/nodes', first!)).toHaveLength(2)
    expect((await join(third!, first!, 'Worker')).status).toBe(200)
  })

  it('may be away for a while, and is found again by engines that start', async () => {
    await endEtcd()
    expect((await first!.call('GET', '/services')).body).toHaveLength(1)
    await startEtcd('--max-txn-ops', '2048')
    expect((await taken(first!, 'after')).status).toBe(201)
    await second!.restart()
    await settled(second!, 2)
    await until(second!, '/services', (all) => all.length === 2)
  })

  it('has nothing of a swarm whose last manager left', async () => {
    expect((await setNode(first!, await idOf(second!), { Role: 'worker' })).status).toBe(200)
    await until(second!, '/info', ({ Swarm }) => Swarm.LocalNodeState === 'active' && Swarm.ControlAvailable === false)
    for (const node of [third!, second!]) expect((await node.call('POST', '/swarm/leave')).status).toBe(200)
    expect((await first!.call('POST', '/swarm/leave?force=1')).status).toBe(200)
    expect((await init(second!)).status).toBe(200)
    expect(await get('/services', second!)).toEqual([])
  })
})

it('is told by addresses that are encrypted, or on this machine', () => {
  const read = (settings: object) => EngineConfig.safeParse({ swarmStore: settings })
  expect(read({ endpoints: ['http://127.0.0.1:2379'] }).success).toBe(true)
  for (const endpoint of ['http://10.0.0.1:2379', 'ftp://127.0.0.1', 'https://a:b@10.0.0.1', 'https://h/path', '']) {
    expect(read({ endpoints: [endpoint] }).success, endpoint).toBe(false)
  }
  for (const odd of [{ cert: 'a' }, { prefix: 'teams' }, { prefix: '/a/../b/' }]) {
    expect(read({ endpoints: ['https://h:2379'], ...odd }).success).toBe(false)
  }
})

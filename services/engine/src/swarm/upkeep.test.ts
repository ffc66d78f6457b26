// What a swarm of several managers needs over the years: another authority, new certificates, locks, and a way on when
// managers are lost for good.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNodes, type TestNode, type TestNodes } from './testing/start-nodes.ts'
import { hasEtcd, until } from './testing/start-swarm.ts'
import {
  answeredWith,
  get,
  idOf,
  join,
  type Listed,
  nanos,
  running,
  serve,
  settled,
  taken,
} from './testing/swarm-calls.ts'

let machines: TestNodes
let [first, second, worker]: TestNode[] = []
let nodes: TestNode[] = []
const slow = { timeout: 180_000 }
const hour = 3600
/** Of before the authority was replaced. */
let stale: { Worker: string }

interface Told {
  ID: string
  Description: { TLSInfo: { TrustRoot: string; CertIssuerPublicKey: string } }
}

beforeAll(async () => {
  if (!hasEtcd) return
  machines = await startNodes(3)
  nodes = machines.nodes
  ;[first, second, worker] = nodes as [TestNode, TestNode, TestNode]
  const { status, body } = await first!.call('POST', '/swarm/init', {
    ...{ ListenAddr: '0.0.0.0:2377', AdvertiseAddr: first!.address },
    Spec: { Dispatcher: { HeartbeatPeriod: 2 * nanos }, CAConfig: { NodeCertExpiry: hour * nanos } },
  })
  expect(status, JSON.stringify(body)).toBe(200)
  expect((await join(second!, first!, 'Manager')).status).toBe(200)
  expect((await join(worker!, first!, 'Worker')).status).toBe(200)
  expect((await serve(first!, 'kept', { Mode: { Global: {} } })).status).toBe(201)
  await running(first!, 'kept', 3)
}, 240_000)

afterAll(() => machines?.stop(), 120_000)

const update = async (by: TestNode, change: (spec: Record<string, unknown>) => void, query = '') => {
  const { Spec, Version } = await get('/swarm', by)
  change(Spec)
  return by.call('POST', `/swarm/update?version=${Version.Index}${query}`, Spec)
}
const rotate = (spec: Record<string, unknown>) => {
  const given = spec.CAConfig as { ForceRotate?: number }
  spec.CAConfig = { ...given, ForceRotate: (given.ForceRotate ?? 0) + 1 }
}
const identityOf = ({ folder }: TestNode) => JSON.parse(readFileSync(`${folder}/engine/swarm/node.json`, 'utf8'))
const taskIds = async (by: TestNode) => (await running(by, 'kept', 3)).map(({ ID }) => ID).sort()

/** What a machine shows whoever connects to it: when it ends. */
async function shownUntil(node: TestNode, port: number): Promise<number> {
  const script = `echo | timeout 5 openssl s_client -connect ${node.address}:${port} -servername swarm-manager 2>/dev/null`
  const { stdout } = await node.host.run('sh', ['-c', script])
  const [certificate = ''] = /-----BEGIN[\s\S]+?END CERTIFICATE-----/.exec(stdout) ?? []
  return certificate === '' ? 0 : new X509Certificate(certificate).validToDate.getTime()
}

describe.skipIf(!hasEtcd)('the authority of several nodes', slow, () => {
  it('is replaced when all of them have its certificates, while tasks go on', async () => {
    const before = await get('/swarm', first!)
    stale = before.JoinTokens
    const tasks = await taskIds(first!)
    const old = identityOf(worker!).credentials
    await worker!.link(false)
    expect((await update(second!, rotate)).status).toBe(200)
    const isOfNext = ({ Description }: Told) =>
      Description.TLSInfo.CertIssuerPublicKey !== before.TLSInfo.CertIssuerPublicKey
    // Both managers follow; the worker cannot, and so the one of before is still trusted.
    await until(first!, '/nodes', (all: Told[]) => all.filter(isOfNext).length === 2)
    expect(await get('/swarm', first!)).toMatchObject({ RootRotationInProgress: true, TLSInfo: before.TLSInfo })
    await worker!.link(true)
    for (const node of [first!, second!]) await until(node, '/swarm', (body) => body.RootRotationInProgress === false)
    const after = await get('/swarm', first!)
    expect(after.TLSInfo.TrustRoot).not.toBe(before.TLSInfo.TrustRoot)
    await until(first!, '/nodes', (all: Told[]) =>
      all.every(({ Description }) => JSON.stringify(Description.TLSInfo) === JSON.stringify(after.TLSInfo)),
    )
    expect(identityOf(worker!).credentials.authority).toBe(after.TLSInfo.TrustRoot)
    expect((await taken(first!, 'after')).status).toBe(201)
    for (const node of [first!, second!]) await settled(node, 2)
    await until(first!, `/nodes/${await idOf(worker!)}`, ({ Status }) => Status.State === 'ready')
    // Global services run where nodes are: one that was away has its own again.
    expect((await taskIds(first!)).filter((id) => tasks.includes(id)).length).toBeGreaterThanOrEqual(2)
    expect(after.JoinTokens).not.toEqual(before.JoinTokens)
    expect(identityOf(worker!).credentials.certificate).not.toBe(old.certificate)
  })

  it('is another for who joins: tokens of before are refused, new ones taken', async () => {
    expect((await worker!.call('POST', '/swarm/leave')).status).toBe(200)
    const RemoteAddrs = [`${second!.address}:2377`]
    const refused = await worker!.call('POST', '/swarm/join', { RemoteAddrs, JoinToken: stale.Worker })
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('fingerprint')])
    expect((await join(worker!, second!, 'Worker')).status).toBe(200)
    await running(first!, 'kept', 3)
  })

  it('can be replaced again, by two callers one after the other', async () => {
    // A node that left counts until it is removed.
    const gone = (await get('/nodes', first!)).filter(({ Status }: Listed) => Status.State === 'down')
    const { TrustRoot } = (await get('/swarm', first!)).TLSInfo
    expect((await update(first!, rotate)).status).toBe(200)
    expect((await update(second!, rotate)).status).toBe(200)
    for (const { ID } of gone) expect((await first!.call('DELETE', `/nodes/${ID}`)).status).toBe(200)
    const { TLSInfo } = await until(
      second!,
      '/swarm',
      (body) => body.RootRotationInProgress === false && body.TLSInfo.TrustRoot !== TrustRoot,
    )
    await until(second!, '/nodes', (all: Told[]) =>
      all.every(({ Description }) => Description.TLSInfo.TrustRoot === TLSInfo.TrustRoot),
    )
    await running(second!, 'kept', 3)
  })
})

describe.skipIf(!hasEtcd)('certificates', slow, () => {
  it('of managers, of their stores and of workers are renewed before they end', async () => {
    const managers = [first!, second!]
    const shown = () => Promise.all(managers.flatMap((node) => [shownUntil(node, 2377), shownUntil(node, 2378)]))
    const before = await shown()
    expect(before.every((time) => time > Date.now() && time < Date.now() + 1.1 * hour * 1000)).toBe(true)
    const { certificate } = identityOf(worker!).credentials
    // Later than all of them would have it, and earlier than their end.
    await Promise.all(nodes.map((node) => node.skew(0.82 * hour * 1000)))
    const isNewer = async () => (await shown()).map((time, index) => time > (before[index] ?? 0) + 0.5 * hour * 1000)
    await expect.poll(isNewer, { timeout: 60_000 }).toEqual([true, true, true, true])
    await expect.poll(() => identityOf(worker!).credentials.certificate, { timeout: 30_000 }).not.toBe(certificate)
    await Promise.all(nodes.map((node) => node.skew(0)))
    // With what they have now they find one another again.
    await second!.restart()
    for (const node of managers) await settled(node, 2)
    await until(first!, `/nodes/${await idOf(worker!)}`, ({ Status }) => Status.State === 'ready')
  })
})

describe.skipIf(!hasEtcd)('managers that lock themselves', slow, () => {
  const lock = (AutoLockManagers: boolean) => (spec: Record<string, unknown>) => {
    spec.EncryptionConfig = { AutoLockManagers }
  }
  const keyAt = async (node: TestNode): Promise<string> => (await get('/swarm/unlockkey', node)).UnlockKey
  const isSealed = (node: TestNode) => 'sealed' in identityOf(node).key
  const unlock = (node: TestNode, UnlockKey: string) => node.call('POST', '/swarm/unlock', { UnlockKey })

  it('all do, with one key; each is opened by itself after its start', async () => {
    expect((await update(first!, lock(true))).status).toBe(200)
    const key = await keyAt(first!)
    expect(key).toMatch(/^SWMKEY-1-/)
    await expect.poll(() => keyAt(second!)).toBe(key)
    for (const node of [first!, second!]) await expect.poll(() => isSealed(node)).toBe(true)
    await second!.restart()
    expect((await get('/info', second!)).Swarm.LocalNodeState).toBe('locked')
    const refused = await second!.call('GET', '/nodes')
    expect([refused.status, refused.body.message]).toEqual([503, expect.stringContaining('needs to be unlocked')])
    expect((await unlock(second!, 'SWMKEY-1-wrong')).status).toBe(400)
    expect((await unlock(second!, key)).status).toBe(200)
    for (const node of [first!, second!]) await settled(node, 2)
  })

  it('follow when one of them changes the key, and when it is no longer wanted', async () => {
    const key = await keyAt(first!)
    expect((await update(second!, () => {}, '&rotateManagerUnlockKey=true')).status).toBe(200)
    const next = await keyAt(second!)
    expect(next).not.toBe(key)
    await expect.poll(() => keyAt(first!)).toBe(next)
    await first!.restart()
    expect((await unlock(first!, key)).status).toBe(400)
    expect((await unlock(first!, next)).status).toBe(200)
    for (const node of [first!, second!]) await settled(node, 2)
    expect((await answeredWith(200, () => update(first!, lock(false)))).status).toBe(200)
    for (const node of [first!, second!]) await expect.poll(() => isSealed(node)).toBe(false)
    await second!.restart()
    for (const node of [first!, second!]) await settled(node, 2)
  })
})

describe.skipIf(!hasEtcd)('a manager whose others are lost', slow, () => {
  it('goes on alone when it is told to, with everything that it knows; others join again', async () => {
    const [firstId, secondId, workerId] = await Promise.all(nodes.map(idOf))
    await second!.kill()
    const { status, body } = await first!.call('POST', '/swarm/init', {
      ...{ ListenAddr: '0.0.0.0:2377', AdvertiseAddr: first!.address, ForceNewCluster: true },
    })
    expect([status, body]).toEqual([200, firstId])
    expect((await taken(first!, 'alone')).status).toBe(201)
    await running(first!, 'alone', 1)
    await until(first!, `/nodes/${workerId}`, ({ Status }) => Status.State === 'ready')
    await until(first!, `/nodes/${secondId}`, ({ Status }) => Status.State === 'down')
    await running(first!, 'kept', 2)
    await second!.revive()
    for (const node of [first!, second!]) await settled(node, 2)
    expect(await idOf(second!)).toBe(secondId)
    await running(second!, 'kept', 3)
    await running(second!, 'alone', 1)
  })
})

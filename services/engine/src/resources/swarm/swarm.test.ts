import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newAuthority } from '../../swarm/identity/authority.ts'
import { beginSwarm, hasEtcd, initBody, until } from '../../swarm/testing/start-swarm.ts'
import { at, inAllVersions, spans } from '../../testing/by-version.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
const get = async (path: string) => (await engine.call('GET', path)).body
const version = async (): Promise<number> => (await get('/swarm')).Version.Index
const update = async (query: string, change: (spec: Record<string, unknown>) => void = () => {}, api = '1.47') => {
  const { Spec, Version } = await get('/swarm')
  change(Spec)
  return engine.call('POST', `/v${api}/swarm/update?version=${Version.Index}${query}`, Spec)
}
const leave = () => engine.call('POST', '/swarm/leave?force=1')

const notManager = {
  status: 503,
  body: {
    message:
      'This node is not a swarm manager. Use "docker swarm init" or "docker swarm join" to connect this node to swarm and try again.',
  },
}

beforeAll(async () => {
  engine = await startWholeEngine()
}, 120_000)
afterAll(() => engine.stop(), 60_000)

describe('a machine that is in no swarm', () => {
  it('ENG-030 says so to whoever asks for what only a swarm has', async () => {
    for (const api of ['', '/v1.30', '/v1.47']) {
      for (const family of ['swarm', 'nodes', 'services', 'tasks', 'secrets', 'configs', 'swarm/unlockkey']) {
        expect(await engine.call('GET', `${api}/${family}`), family).toEqual(notManager)
      }
    }
    for (const family of ['nodes', 'services', 'secrets', 'configs']) {
      expect(await engine.call('DELETE', `/${family}/some-id`)).toEqual(notManager)
      expect(await engine.call('POST', `/${family}/some-id/update?version=1`, { Name: 'x' })).toEqual(notManager)
    }
    expect(await engine.call('POST', '/swarm/update?version=1', {})).toEqual(notManager)
    expect(await engine.call('POST', '/swarm/leave')).toEqual({
      ...{ status: 503, body: { message: 'This node is not part of a swarm' } },
    })
    const ping = await engine.client.open('GET', '/_ping')
    ping.resume()
    expect(ping.headers.swarm).toBe('inactive')
  })

  it('refuses to begin one with settings that make no sense, and stays as it was', async () => {
    const wrong: [object, RegExp][] = [
      [{ ListenAddr: 'nowhere:99999' }, /ListenAddr/],
      [{ AdvertiseAddr: '0.0.0.0' }, /non-zero IP/],
      [{ AdvertiseAddr: 'eth77' }, /eth77/],
      [{ DataPathPort: 80 }, /DataPathPort/],
      [{ DefaultAddrPool: ['10.0.0.0/8', '10.1.0.0/16'] }, /overlaps/],
      [{ DefaultAddrPool: ['ten'] }, /ten is no IPv4 subnet/],
      [{ SubnetSize: 31 }, /SubnetSize/],
      [{ Availability: 'maybe' }, /maybe/],
      [{ Spec: { CAConfig: { NodeCertExpiry: 1 } } }, /1h0m0s/],
    ]
    for (const [body, words] of wrong) {
      const answer = await engine.call('POST', '/swarm/init', { ...initBody, ...body })
      expect([answer.status, answer.body.message], JSON.stringify(body)).toEqual([400, expect.stringMatching(words)])
    }
    expect((await get('/info')).Swarm).toMatchObject({ NodeID: '', LocalNodeState: 'inactive' })
  })

  it('begins at the only address that leads to this machine, beside bridges that lead to containers', async () => {
    const ip = (...words: string[]) => engine.host.run('ip', words)
    await ip('link', 'add', 'outer0', 'type', 'veth', 'peer', 'name', 'outer1')
    await ip('addr', 'add', '192.0.2.5/24', 'dev', 'outer0')
    for (const end of ['outer0', 'outer1']) await ip('link', 'set', end, 'up')
    await engine.run('1.47', 'beside')
    const { body } = await engine.call('POST', '/swarm/init', { ListenAddr: '0.0.0.0:2377' })
    expect([typeof body, (await get('/info')).Swarm.NodeAddr]).toEqual(['string', '192.0.2.5'])
    expect((await leave()).status).toBe(200)
    await engine.call('DELETE', '/containers/beside?force=1')
    await ip('link', 'del', 'outer0')
  })

  it('ENG-622 ENG-630 is told where to send its traffic when it joins, from that version on', async () => {
    const body = {
      ...initBody,
      RemoteAddrs: ['127.0.0.1:9'],
      JoinToken: `SWMTKN-1-${'0'.repeat(50)}-${'0'.repeat(25)}`,
    }
    const { status, body: answer } = await engine.call('POST', '/swarm/join', body)
    expect([status, answer.message]).toEqual([503, expect.stringContaining('No manager could be reached')])
    for (const [name, api] of [
      ['DataPathPort', '1.40'],
      ['DataPathAddr', '1.30'],
    ] as const) {
      const before = `1.${Number(api.slice(2)) - 1}`
      const join = (asked: string) => engine.call('POST', `/v${asked}/swarm/join`, { ...body, [name]: [] })
      expect([(await join(before)).status, (await join(api)).status]).toEqual([503, 400])
    }
    expect((await engine.call('POST', '/swarm/join', { ...body, JoinToken: 'x' })).body).toEqual({
      message: 'invalid join token',
    })
  })
})

describe.skipIf(!hasEtcd)('a swarm', () => {
  afterAll(leave)

  it('ENG-047 ENG-054 ENG-620 ENG-621 ENG-623 ENG-624 ENG-625 ENG-629 begins with what it is told, and tells it', async () => {
    const pools = { DefaultAddrPool: ['10.20.0.0/16'], SubnetSize: 26 }
    const id = await beginSwarm(engine, { ...pools, DataPathPort: 7777, DataPathAddr: '127.0.0.1' })
    expect(id).toMatch(/^[a-z0-9]{25}$/)
    const swarm = await get('/swarm')
    expect(swarm).toMatchObject({ ...pools, DataPathPort: 7777, RootRotationInProgress: false })
    expect(swarm.Spec).toMatchObject({ Name: 'default', Orchestration: { TaskHistoryRetentionLimit: 5 } })
    const authority = new X509Certificate(swarm.TLSInfo.TrustRoot)
    expect([authority.ca, authority.verify(authority.publicKey)]).toEqual([true, true])
    const key = authority.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    expect(swarm.TLSInfo.CertIssuerPublicKey).toBe(key)
    expect(Buffer.from(swarm.TLSInfo.CertIssuerSubject, 'base64').toString('latin1')).toContain('swarm-ca')
    const told = await inAllVersions(engine, '/swarm')
    expect(spans(told, ['ID', 'TLSInfo.TrustRoot', 'DefaultAddrPool', 'SubnetSize', 'DataPathPort'])).toEqual({
      ...{ ID: 'all', 'TLSInfo.TrustRoot': '1.30+', DefaultAddrPool: '1.39+', SubnetSize: '1.39+' },
      DataPathPort: '1.40+',
    })
    const info = await inAllVersions(engine, '/info')
    expect(at(info.get('1.47'), 'Swarm')).toMatchObject({
      ...{ NodeID: id, NodeAddr: '127.0.0.1', LocalNodeState: 'active', ControlAvailable: true, Nodes: 1, Managers: 1 },
      RemoteManagers: [{ NodeID: id, Addr: '127.0.0.1:2377' }],
      Cluster: { ID: swarm.ID, DataPathPort: 7777 },
    })
    expect(spans(info, ['Swarm.Cluster.TLSInfo.TrustRoot', 'Swarm.Cluster.DataPathPort'])).toEqual({
      ...{ 'Swarm.Cluster.TLSInfo.TrustRoot': '1.30+', 'Swarm.Cluster.DataPathPort': '1.40+' },
    })
    const again = await engine.call('POST', '/swarm/init', initBody)
    expect([again.status, again.body.message]).toEqual([503, expect.stringContaining('already part of a swarm')])
  })

  it('ENG-035 tells in a header that this machine manages it', async () => {
    const ping = await engine.client.open('GET', '/_ping')
    ping.resume()
    expect(ping.headers.swarm).toBe('active/manager')
  })

  it('keeps its store from other users of the machine', async () => {
    const { stdout } = await engine.host.run('sh', [
      ...['-c', "ss -xlH | grep -c client:1; ss -tlnpH | grep etcd | awk '{print $4}'"],
    ])
    expect(stdout.trim().split('\n')).toEqual(['1', '127.0.0.1:2378'])
    // Other managers show their certificates there; who has none hears nothing.
    const asked = await engine.host.run('curl', ['-sk', '-m', '5', 'https://127.0.0.1:2378/members'])
    expect([asked.code === 0, asked.stdout]).toEqual([false, ''])
    const folder = engine.socketPath.replace(/engine.sock$/, 'engine/swarm')
    const entered = await engine.host.run('setpriv', ['--reuid', '65534', '--clear-groups', 'ls', folder])
    expect(entered.code).not.toBe(0)
  })

  it('gives new tokens when asked, each by itself', async () => {
    const before = (await get('/swarm')).JoinTokens
    expect([before.Worker, before.Manager]).toEqual(
      Array(2).fill(expect.stringMatching(/^SWMTKN-1-[a-z0-9]{50}-[a-z0-9]{25}$/)),
    )
    expect((await update('&rotateWorkerToken=true')).status).toBe(200)
    const worker = (await get('/swarm')).JoinTokens
    expect([worker.Worker === before.Worker, worker.Manager]).toEqual([false, before.Manager])
    expect((await update('&rotateManagerToken=1')).status).toBe(200)
    expect((await get('/swarm')).JoinTokens.Manager).not.toBe(before.Manager)
  })

  it('changes only for who has seen its newest version', async () => {
    const old = await version()
    const limit = (spec: Record<string, unknown>) => {
      spec.Orchestration = { TaskHistoryRetentionLimit: 7 }
    }
    expect((await update('', limit)).status).toBe(200)
    expect((await get('/swarm')).Spec.Orchestration.TaskHistoryRetentionLimit).toBe(7)
    const late = await engine.call('POST', `/swarm/update?version=${old}`, {})
    expect([late.status, late.body.message]).toEqual([400, 'update out of sequence'])
    expect((await engine.call('POST', '/swarm/update', {})).status).toBe(400)
    const wrong = await update('', (spec) => {
      spec.Raft = { ElectionTick: 1, HeartbeatTick: 2 }
    })
    expect([wrong.status, wrong.body.message]).toEqual([400, expect.stringContaining('ElectionTick')])
  })

  it('ENG-626 ENG-627 ENG-628 takes another authority from 1.30 on: one that is brought along, or a new one', async () => {
    const trusted = async (): Promise<string> => (await get('/swarm')).TLSInfo.TrustRoot
    const rotate = (spec: Record<string, unknown>) => {
      const given = spec.CAConfig as { ForceRotate?: number }
      spec.CAConfig = { ...given, ForceRotate: (given.ForceRotate ?? 0) + 1 }
    }
    const first = await trusted()
    expect((await update('', rotate, '1.29')).status).toBe(200)
    expect(await trusted()).toBe(first)
    const tokens = (await get('/swarm')).JoinTokens
    expect((await update('', rotate, '1.30')).status).toBe(200)
    const rotated = (from: string) =>
      until(engine, '/swarm', (body) => body.TLSInfo.TrustRoot !== from && !body.RootRotationInProgress)
    await rotated(first)
    const second = await trusted()
    expect((await get('/swarm')).JoinTokens.Worker).not.toBe(tokens.Worker)
    await until(engine, '/nodes', ([node]) => node.Description.TLSInfo.TrustRoot === second)
    const { certificate, key } = await newAuthority(Date.now())
    const bring = (SigningCACert: string, SigningCAKey: string) => (spec: Record<string, unknown>) => {
      spec.CAConfig = { SigningCACert, SigningCAKey }
    }
    expect((await update('', bring(certificate, key), '1.29')).status).toBe(200)
    expect(await trusted()).toBe(second)
    expect((await update('', bring(certificate, ''))).status).toBe(400)
    expect((await update('', bring(first, key))).body.message).toContain('not the key of the certificate')
    expect((await update('', bring(certificate, key), '1.30')).status).toBe(200)
    await rotated(second)
    expect((await trusted()).trim()).toBe(certificate.trim())
    expect((await get('/swarm')).Spec.CAConfig).not.toHaveProperty('SigningCAKey')
  })

  it('has its store follow what it says of Raft from the next start on, and refuses what that cannot', async () => {
    const refusals: [object, RegExp][] = [
      [{ ElectionTick: 4, HeartbeatTick: 1 }, /ElectionTick must be at least 5 times/],
      [{ ElectionTick: 501, HeartbeatTick: 1 }, /ElectionTick must be at most 500/],
      [{ SnapshotInterval: -1 }, /SnapshotInterval/],
    ]
    for (const [Raft, words] of refusals) {
      const { status, body } = await update('', (spec) => Object.assign(spec, { Raft }))
      expect([status, body.message]).toEqual([400, expect.stringMatching(words)])
    }
    const Raft = { SnapshotInterval: 5_000, KeepOldSnapshots: 2, ElectionTick: 20, HeartbeatTick: 2 }
    expect((await update('', (spec) => Object.assign(spec, { Raft }))).status).toBe(200)
    await engine.restart()
    const { stdout } = await engine.host.run('sh', ['-c', 'tr "\\0" " " </proc/$(pgrep -x etcd)/cmdline'])
    expect(stdout).toContain('--snapshot-count 5000 --max-snapshots 3 --heartbeat-interval 200 --election-timeout 2000')
    expect((await get('/swarm')).Spec.Raft).toMatchObject(Raft)
  })

  it('can be locked by a key that it tells, and changes when asked', async () => {
    expect(await get('/swarm/unlockkey')).toEqual({ UnlockKey: '' })
    const lock = (AutoLockManagers: boolean) => (spec: Record<string, unknown>) => {
      spec.EncryptionConfig = { AutoLockManagers }
    }
    const locked = await update('', lock(true))
    expect(locked.status, locked.body?.message).toBe(200)
    const { UnlockKey: key } = await get('/swarm/unlockkey')
    expect(key).toMatch(/^SWMKEY-1-[A-Za-z0-9+/]{43}$/)
    expect((await update('&rotateManagerUnlockKey=true')).status).toBe(200)
    expect((await get('/swarm/unlockkey')).UnlockKey).not.toBe(key)
    const unlocking = await engine.call('POST', '/swarm/unlock', { UnlockKey: key })
    expect([unlocking.status, unlocking.body.message]).toEqual([409, 'swarm is not locked'])
    expect((await update('', lock(false))).status).toBe(200)
    expect(await get('/swarm/unlockkey')).toEqual({ UnlockKey: '' })
  })

  it('is left only by force by its last manager, and is gone then with its services and networks', async () => {
    const network = await engine.call('POST', '/networks/create', { Name: 'far', Driver: 'overlay' })
    expect(network.status, network.body.message).toBe(201)
    const service = await engine.call('POST', '/services/create', {
      Name: 'there',
      TaskTemplate: {
        ContainerSpec: { Image: 'busybox', Command: ['sleep', '60'] },
        Networks: [{ Target: network.body.Id }],
      },
    })
    expect(service.status, service.body.message).toBe(201)
    const asked = await engine.call('POST', '/swarm/leave')
    expect([asked.status, asked.body.message]).toEqual([503, expect.stringContaining('Use `--force`')])
    const { ID } = await get('/swarm')
    expect((await leave()).status).toBe(200)
    expect(await engine.call('GET', '/swarm')).toEqual(notManager)
    expect((await engine.call('GET', '/networks/far')).status).toBe(404)
    await beginSwarm(engine, { ListenAddr: '127.0.0.1:2377' })
    expect((await get('/swarm')).ID).not.toBe(ID)
  })
})

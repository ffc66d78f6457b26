import { lacking } from '@atoll/testkit/lacking'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Caller } from '../testing/caller.ts'
import { buildChime, buildLate, buildTally, packModule } from '../testing/native-modules.ts'
import { connectTo, startWholeCluster, type WholeCluster } from '../testing/whole-cluster.ts'

const lacks = lacking('redis-server', 'cc')

describe.skipIf(lacks !== '')(`POST /v1/modules/upgrade/bdb/:uid (${lacks || 'redis-server, cc'})`, () => {
  let whole: WholeCluster
  let admin: Caller
  const uids: Record<string, string> = {}
  let made = 0

  const upload = async (name: string, bytes: Buffer) => {
    const { status, body } = await admin.upload('/v2/modules', new Uint8Array(bytes))
    expect(status, JSON.stringify(body)).toBe(200)
    uids[name] = body.uid
  }

  beforeAll(async () => {
    whole = await startWholeCluster()
    admin = whole.admin
    const [one, two, late] = [await buildTally(1), await buildTally(2), await buildLate()]
    await upload('tally1', await packModule(one))
    await upload('tally2', await packModule(two))
    await upload('chime1', await packModule(await buildChime(1)))
    await upload('chime2', await packModule(await buildChime(2)))
    await upload('late', await packModule(late, { min_redis_version: '6.0' }))
    await upload('future', await packModule(two, { semantic_version: '3.0.0', min_redis_version: '99.0' }))
    await upload('bare', await packModule(two, { semantic_version: '4.0.0', capabilities: ['types'] }))
  }, 120_000)
  afterAll(() => whole.stop())

  const create = async (more: object = {}) => {
    const { status, body } = await admin.call('POST', '/v1/bdbs', {
      name: `database-${++made}`,
      memory_size: 100_000_000,
      module_list: [{ module_id: uids['tally1'] }],
      ...more,
    })
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }
  const upgrade = (uid: number, body: object, headers: Record<string, string> = {}, who = admin) =>
    who.call('POST', `/v1/modules/upgrade/bdb/${uid}`, body, headers)
  const toTwo = () => ({ modules: [{ current_module: uids['tally1'], new_module: uids['tally2'] }] })
  const versionOf = async (uid: number) =>
    (await admin.call('GET', `/v1/bdbs/${uid}`)).body.module_list[0].semantic_version

  it('MOD-001 MOD-007 MOD-008 MOD-013 MOD-014 MOD-015 MOD-016 MOD-024 upgrades a database without a replica and keeps its data', async () => {
    const other = await create()
    const { uid, port } = await create()
    const client = await connectTo(port)
    await client.sendCommand(['TALLY.ADD', 'scores', 'ann', '20'])
    await client.set('plain', 'text')
    const { status, body, headers } = await upgrade(uid, toTwo())
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({
      uid, // MOD-017
      name: `database-${made}`,
      module_id: uids['tally2'],
      module_name: 'tally',
      semantic_version: '2.0.0',
      status: expect.any(String),
    })
    expect(headers.get('deprecation')).toMatch(/^@\d+$/)
    expect(await client.sendCommand(['TALLY.MUL', 'scores', 'ann', '2'])).toBe(40)
    expect(await client.get('plain')).toBe('text')
    expect(await versionOf(uid)).toBe('2.0.0')
    expect(await versionOf(other.uid)).toBe('1.0.0') // MOD-015
    client.destroy()
  })

  it('MOD-017 MOD-018 MOD-019 MOD-020 MOD-021 MOD-022 answers with the database and its module', async () => {
    const { uid } = await create({ name: 'named' })
    const { body } = await upgrade(uid, toTwo())
    expect([typeof body.uid, body.name]).toEqual(['number', 'named'])
    expect([typeof body.module_id, body.module_name, body.semantic_version]).toEqual(['string', 'tally', '2.0.0'])
    expect(body).toMatchObject({ action_uid: expect.any(String), module_list: [{ semantic_version: '2.0.0' }] })
  })

  it('MOD-010 MOD-011 MOD-012 takes the other spelling, and keeps the roles of the shards when asked', async () => {
    const { uid } = await create({ replication: true, data_persistence: 'aof' })
    const roles = async () => {
      const { body } = await admin.call('GET', `/v1/bdbs/${uid}/shards`)
      return body.map((shard: { uid: string; role: string }) => `${shard.uid} ${shard.role}`).sort()
    }
    const before = await roles()
    const modules = [{ module_name: 'tally', current_semantic_version: '1.0.0', new_module: uids['tally2'] }]
    const { status, body } = await upgrade(uid, { modules, preserve_roles: true, may_discard_data: true })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.discarded_data).toBe(false)
    expect(await roles()).toEqual(before)
  })

  it('MOD-016 MOD-019 MOD-020 MOD-021 names the module also when the database has that version already', async () => {
    const { uid } = await create({})
    const modules = [{ current_module: uids['tally1'], new_module: uids['tally1'] }]
    for (const path of [`/v1/modules/upgrade/bdb/${uid}`, `/v1/bdbs/${uid}/upgrade`]) {
      const { status, body } = await admin.call('POST', path, { modules })
      expect(status, JSON.stringify(body)).toBe(200)
      const wanted = { uid, module_id: uids['tally1'], module_name: 'tally', semantic_version: '1.0.0' }
      expect(body).toMatchObject({ ...wanted, modules: [{ previous_semantic_version: '1.0.0' }] })
    }
  })

  it('MOD-026 MOD-028 MOD-035 says by its code that the database has no such module', async () => {
    const { uid } = await create({})
    const modules = [{ current_module: 'nobody', new_module: uids['tally2'] }]
    const { status, body } = await upgrade(uid, { modules })
    expect([status, body.error_code]).toEqual([400, 'missing_module'])
  })

  it('MOD-005 MOD-006 MOD-009 upgrades several modules at once, with new arguments', async () => {
    const { uid, port } = await create({ module_list: [{ module_id: uids['tally1'] }, { module_id: uids['chime1'] }] })
    const { status, body } = await upgrade(uid, {
      modules: [
        { current_module: uids['tally1'], new_module: uids['tally2'], new_module_args: ['LIMIT', '1'] },
        { current_module: uids['chime1'], new_module: uids['chime2'] },
      ],
    })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.modules).toMatchObject([
      { module_name: 'tally', module_args: ['LIMIT', '1'], previous_semantic_version: '1.0.0' },
      { module_name: 'chime', semantic_version: '2.0.0' },
    ])
    const client = await connectTo(port)
    expect(await client.sendCommand(['CHIME.RING'])).toBe('TWO')
    await client.sendCommand(['TALLY.ADD', 'scores', 'ann', '1'])
    await expect(client.sendCommand(['TALLY.ADD', 'scores', 'bob', '1'])).rejects.toThrow('as many members')
    client.destroy()
  })

  it('MOD-002 MOD-027 MOD-033 MOD-034 MOD-035 MOD-036 refuses what it cannot read, and what is not there', async () => {
    const { uid } = await create()
    expect((await upgrade(999, toTwo())).status).toBe(404)
    expect((await admin.call('GET', '/v1/nodes/9')).status).toBe(404)
    const wrong: [string, object][] = [
      ['modules', {}],
      ['modules', { modules: [] }],
      ['modules', { modules: 'tally' }],
      ['new_module', { modules: [{ current_module: uids['tally1'] }] }],
      ['current_module', { modules: [{ new_module: uids['tally2'] }] }],
      ['preserve_roles', { ...toTwo(), preserve_roles: 'yes' }],
      [
        'new_module_args',
        {
          modules: [
            {
              current_module: uids['tally1'],
              new_module: uids['tally2'],
              new_module_args: ['LIMIT', '1\nrequirepass x'],
            },
          ],
        },
      ],
      ['no module', { modules: [{ current_module: 'unknown', new_module: uids['tally2'] }] }],
      ['is late, not tally', { modules: [{ current_module: uids['tally1'], new_module: uids['late'] }] }],
    ]
    for (const [words, body] of wrong) {
      const answer = await upgrade(uid, body)
      expect(answer.status, words).toBe(400)
      expect(answer.body.message).toContain(words) // MOD-027
    }
    expect((await admin.call('POST', '/v1/modules/upgrade/bdb/one', toTwo())).status).toBe(400)
    expect(await versionOf(uid)).toBe('1.0.0')
  })

  it('MOD-026 MOD-028 MOD-029 MOD-030 MOD-032 MOD-037 refuses modules that do not fit, and says all that speaks against them', async () => {
    const { uid } = await create({ replication: true })
    const to = (name: string) => ({ modules: [{ current_module: uids['tally1'], new_module: uids[name] ?? name }] })
    const cases = {
      unknown: 'missing_module',
      future: 'store_incompatible_version',
      bare: 'unsupported_module_capabilities',
    }
    for (const [name, code] of Object.entries(cases)) {
      expect(await upgrade(uid, to(name))).toMatchObject({ status: 406, body: { error_code: code } })
    }
    const upgraded = await create()
    await upgrade(upgraded.uid, toTwo())
    const back = { modules: [{ current_module: uids['tally2'], new_module: uids['tally1'] }] }
    expect(await upgrade(upgraded.uid, back)).toMatchObject({
      status: 406,
      body: { error_code: 'module_downgrade_unsupported' },
    })
    expect([await versionOf(uid), await versionOf(upgraded.uid)]).toEqual(['1.0.0', '2.0.0'])
  })

  it('refuses arguments that the module refuses, before any shard is touched', async () => {
    const { uid, port } = await create({ replication: true })
    const client = await connectTo(port)
    await client.sendCommand(['TALLY.ADD', 'scores', 'ann', '1'])
    const modules = [{ current_module: uids['tally1'], new_module: uids['tally2'], new_module_args: ['NONSENSE'] }]
    const { status, body } = await upgrade(uid, { modules })
    expect({ status, body }).toMatchObject({ status: 406, body: { error_code: 'module_refused', rolled_back: true } })
    expect(await client.sendCommand(['TALLY.GET', 'scores', 'ann'])).toBe(1)
    const action = await admin.call('GET', `/v1/actions/${body.action_uid}`)
    expect(action.body).toMatchObject({ status: 'failed', state: 'rolled_back' })
    expect(await versionOf(uid)).toBe('1.0.0')
    client.destroy()
  })

  it('MOD-023 MOD-025 is for those who may edit modules, and tells others nothing', async () => {
    const { uid } = await create()
    const make = async (role: string) => {
      const email = `${role}@upgrade.test`
      await admin.call('POST', '/v1/users', { email, password: 'a-long-password', role })
      return Object.getPrototypeOf(admin).constructor.basic(admin.url, email, 'a-long-password') as Caller
    }
    const viewer = await make('cluster_viewer')
    expect((await upgrade(uid, toTwo(), {}, viewer)).status).toBe(403)
    expect((await upgrade(999, {}, {}, viewer)).status).toBe(403)
    const nobody = Object.getPrototypeOf(admin).constructor.basic(admin.url, 'nobody@upgrade.test', 'x') as Caller
    expect((await upgrade(uid, toTwo(), {}, nobody)).status).toBe(401)
    expect(await versionOf(uid)).toBe('1.0.0')
    const member = await make('db_member')
    expect((await upgrade(uid, toTwo(), {}, member)).status).toBe(200)
  })

  it('MOD-003 MOD-004 MOD-038 MOD-039 MOD-040 names its successor, which does the same', async () => {
    const { uid } = await create()
    const { headers } = await upgrade(uid, { ...toTwo(), dry_run: true }, { accept: 'application/json' })
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(headers.get('link')).toBe(`</v1/bdbs/${uid}/upgrade>; rel="successor-version"`)
    expect(new Date(headers.get('sunset') ?? '').getTime()).toBeGreaterThan(Date.now())
    const successor = await admin.call('POST', `/v1/bdbs/${uid}/upgrade`, toTwo())
    expect(successor).toMatchObject({ status: 200, body: { semantic_version: '2.0.0' } })
    expect(successor.headers.get('deprecation')).toBeNull()
  })

  it('says what it would do without doing it', async () => {
    const { uid } = await create({ replication: true })
    const { status, body } = await upgrade(uid, { ...toTwo(), dry_run: true })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { dry_run: true, plan: { through: 'its replicas' }, semantic_version: '2.0.0' },
    })
    expect(await versionOf(uid)).toBe('1.0.0')
    expect((await admin.call('GET', '/v1/actions')).body['state-machines']).not.toContainEqual(
      expect.objectContaining({ object_name: `bdb:${uid}` }),
    )
  })

  it('answers at once when asked to, refuses a second upgrade meanwhile, and repeats its answer for the same key', async () => {
    const { uid } = await create({ replication: true })
    const headers = { prefer: 'respond-async', 'idempotency-key': 'once' }
    const first = await upgrade(uid, toTwo(), headers)
    expect(first.status).toBe(202)
    const place = first.headers.get('location') ?? ''
    expect((await upgrade(uid, toTwo())).status).toBe(409)
    const again = await upgrade(uid, toTwo(), { 'idempotency-key': 'once' })
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
    expect(again.body.action_uid).toBe(first.body.action_uid)
    const changed = await upgrade(uid, { ...toTwo(), preserve_roles: true }, headers)
    expect(changed).toMatchObject({ status: 409, body: { error_code: 'idempotency_key_reused' } })
    expect((await admin.call('GET', place)).body).toMatchObject({ status: 'completed', progress: 100 })
  })

  it('can be taken back as long as it soaks, and keeps what was written meanwhile', async () => {
    const { uid, port } = await create({ replication: true, data_persistence: 'aof' })
    const client = await connectTo(port)
    await client.sendCommand(['TALLY.ADD', 'scores', 'ann', '1'])
    const begun = await upgrade(uid, { ...toTwo(), soak_seconds: 3600 }, { prefer: 'respond-async' })
    const action = async () => (await admin.call('GET', `/v1/actions/${begun.body.action_uid}`)).body
    await expect.poll(async () => (await action()).state, { timeout: 20_000 }).toBe('soak')
    await expect.poll(() => client.sendCommand(['TALLY.MUL', 'scores', 'ann', '2']).catch(String)).toMatch('NOPERM')
    await client.sendCommand(['TALLY.ADD', 'scores', 'ann', '1'])
    const cancelled = await admin.call('POST', `/v1/actions/${begun.body.action_uid}/cancel`)
    expect(cancelled.status, JSON.stringify(cancelled.body)).toBe(200)
    await expect.poll(async () => (await action()).state, { timeout: 20_000 }).toBe('rolled_back')
    expect(await client.sendCommand(['TALLY.GET', 'scores', 'ann'])).toBe(2)
    await expect(client.sendCommand(['TALLY.MUL', 'scores', 'ann', '2'])).rejects.toThrow('unknown command')
    expect(await versionOf(uid)).toBe('1.0.0')
    expect((await admin.call('POST', `/v1/actions/${begun.body.action_uid}/cancel`)).status).toBe(409)
    client.destroy()
  })

  it('soaks to its end and then lets clients use what is new', async () => {
    const { uid, port } = await create()
    const { status, body } = await upgrade(uid, { ...toTwo(), soak_seconds: 1 })
    expect(status, JSON.stringify(body)).toBe(200)
    const client = await connectTo(port)
    await client.sendCommand(['TALLY.ADD', 'scores', 'ann', '3'])
    expect(await client.sendCommand(['TALLY.MUL', 'scores', 'ann', '2'])).toBe(6)
    client.destroy()
  })

  it('loses nothing of what writers write meanwhile', async () => {
    const { uid, port } = await create({ replication: true, data_persistence: 'aof' })
    let isOver = false
    const write = async (key: string) => {
      const client = await connectTo(port)
      let count = 0
      while (!isOver) {
        await client.sendCommand(['TALLY.ADD', 'scores', key, '1'])
        await client.set(`last-${key}`, String(++count))
      }
      client.destroy()
      return count
    }
    const writers = ['a', 'b', 'c', 'd'].map(write)
    const { status, body } = await upgrade(uid, { ...toTwo(), preserve_roles: true })
    expect(status, JSON.stringify(body)).toBe(200)
    isOver = true
    const client = await connectTo(port)
    for (const [index, count] of (await Promise.all(writers)).entries()) {
      const key = 'abcd'[index] ?? ''
      expect(count).toBeGreaterThan(0)
      expect([await client.sendCommand(['TALLY.GET', 'scores', key]), await client.get(`last-${key}`)]).toEqual([
        count,
        String(count),
      ])
    }
    client.destroy()
  })

  it('MOD-031 refuses a module that needs newer cluster software', async () => {
    const newer = await startWholeCluster({ release: '7.8.2' })
    const needs = { min_redis_pack_version: '7.8.2' }
    const before = await newer.admin.upload('/v2/modules', new Uint8Array(await packModule(await buildTally(1))))
    const after = await newer.admin.upload('/v2/modules', new Uint8Array(await packModule(await buildTally(2), needs)))
    const module_list = [{ module_id: before.body.uid }]
    const settings = { name: 'old', memory_size: 100_000_000, data_persistence: 'aof', module_list }
    const { body } = await newer.admin.call('POST', '/v1/bdbs', settings)
    await newer.stop({ keepsData: true })
    const older = await startWholeCluster({ release: '7.4.0', data: newer.data })
    const modules = [{ current_module: before.body.uid, new_module: after.body.uid }]
    const answer = await older.admin.call('POST', `/v1/modules/upgrade/bdb/${body.uid}`, { modules })
    await older.stop()
    expect(answer).toMatchObject({ status: 406, body: { error_code: 'store_pack_incompatible_version' } })
  })
})

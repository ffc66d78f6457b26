// Upgrades under write load while the manager, the proxy and the shards are killed: no acknowledged write is lost, none
// is done twice, both shards are the same in the end, and the action has ended.
import { randomInt } from 'node:crypto'
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { RedisConnection } from '@atoll/cluster/redis/redis-connection'
import { Caller } from '@atoll/cluster/testing/caller'
import { buildTally, packModule } from '@atoll/cluster/testing/native-modules'
import { lacking } from '@atoll/testkit/lacking'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ServerProcess } from './server-process.ts'
import { WriteLoad } from './write-load.ts'

const isLong = process.env.ATOLL_TEST_LONG === '1'
const rounds = isLong ? 60 : 2
const victims = ['manager', 'proxy', 'replica', 'master', 'any shard'] as const
type Victim = (typeof victims)[number]
const [email, password] = ['admin@crash.test', 'a-password-for-crashes']
const lacks = lacking('redis-server', 'cc')
const roundMs = 90_000
const actionMs = 60_000

interface Round {
  killed: Victim[]
  end: string
  acknowledged: number
  uncertain: number
}

/** It may have been ended by the manager a moment ago. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

describe.skipIf(lacks !== '')(`upgrades of databases (${lacks || 'redis-server, cc'})`, () => {
  let data: string
  let server: ServerProcess
  let admin: Caller
  const table: Round[] = []
  const modules: string[] = []

  const start = async () => {
    const args = ['--only', 'cluster', '--data', data, '--port', '0']
    server = new ServerProcess({ args, env: { ATOLL_CLUSTER_ADMIN: `${email}:${password}`, ATOLL_LOG_LEVEL: 'warn' } })
    admin = Caller.basic(await server.ready('cluster'), email, password)
  }

  beforeAll(async () => {
    data = await mkdtemp('/tmp/ac-')
    await start()
    for (const major of [1, 2] as const) {
      const bytes = new Uint8Array(await packModule(await buildTally(major)))
      modules.push((await admin.upload('/v2/modules', bytes)).body.uid)
    }
  }, roundMs)
  afterAll(async () => {
    for (const { uid } of (await admin.call('GET', '/v1/bdbs')).body) await admin.call('DELETE', `/v1/bdbs/${uid}`)
    await server.stop()
    await rm(data, { recursive: true, force: true })
    for (const { killed, end, acknowledged, uncertain } of table) {
      console.log(
        `  killed ${killed.join(', ').padEnd(32)} ${end.padEnd(12)} ${acknowledged} acknowledged, ${uncertain} uncertain, 0 lost, 0 twice`,
      )
    }
  })

  /** By the folder they work in. */
  async function processesIn(folder: string): Promise<number[]> {
    const found: number[] = []
    for (const name of await readdir('/proc')) {
      const cwd = /^\d+$/.test(name) ? await readlink(`/proc/${name}/cwd`).catch(() => '') : ''
      if (cwd === folder) found.push(Number(name))
    }
    return found
  }

  const shards = async (uid: number): Promise<{ uid: string; role: string }[]> =>
    (await admin.call('GET', `/v1/bdbs/${uid}/shards`)).body

  async function kill(victim: Victim, uid: number): Promise<void> {
    if (victim === 'manager') {
      await server.kill()
      await start()
      return
    }
    const all = victim === 'proxy' ? [] : await shards(uid)
    const wanted = all.filter(({ role }) => victim === 'any shard' || (role === 'master') === (victim === 'master'))
    const shard = wanted[randomInt(Math.max(1, wanted.length))]
    const folder = victim === 'proxy' ? join('endpoints', String(uid)) : join('shards', shard?.uid ?? 'none')
    for (const pid of await processesIn(join(data, 'cluster', folder))) killIfThere(pid)
  }

  /** Of all keys of a shard. */
  async function digestOf(shardUid: string): Promise<unknown> {
    const folder = join(data, 'cluster', 'shards', shardUid)
    const config = await readFile(join(folder, 'shard.conf'), 'utf8')
    const secret = /^masterauth "?([^"\s]+)/m.exec(config)?.[1] ?? ''
    const path = join(folder, 'shard.sock')
    await using connection = await RedisConnection.open({ path }, { username: 'atoll', password: secret })
    return await connection.call('debug', 'digest')
  }

  async function ended(actionUid: string): Promise<{ status: string; state: string; error?: string }> {
    const until = performance.now() + actionMs
    for (;;) {
      const { body } = await admin.call('GET', `/v1/actions/${actionUid}`)
      if (body.status === 'completed' || body.status === 'failed') return body
      if (performance.now() > until)
        throw new Error(`It is stuck: ${JSON.stringify(body)} ${server.output.slice(-3000)}`)
      await setTimeout(50)
    }
  }

  async function playRound(round: number): Promise<Round> {
    const settings = { replication: true, data_persistence: 'aof', memory_size: 100_000_000 }
    const module_list = [{ module_id: modules[0] }]
    const created = await admin.call('POST', '/v1/bdbs', { name: `round-${round}`, module_list, ...settings })
    expect(created.status, JSON.stringify(created.body)).toBe(200)
    const { uid, port } = created.body
    const load = new WriteLoad(port, 4)
    await load.hasWritten(200)
    const wanted = {
      modules: [{ current_module: modules[0], new_module: modules[1] }],
      preserve_roles: round % 2 === 0,
    }
    const begun = await admin.call('POST', `/v1/modules/upgrade/bdb/${uid}`, wanted, { prefer: 'respond-async' })
    expect(begun.status, JSON.stringify(begun.body)).toBe(202)
    const killed: Victim[] = []
    for (let left = 1 + (round % 2); left > 0; left--) {
      await setTimeout(randomInt(0, 1500))
      const victim = victims[(round + left) % victims.length] ?? 'manager'
      await kill(victim, uid)
      killed.push(victim)
    }
    const action = await ended(begun.body.action_uid)
    const isRolledBack = action.status === 'failed'
    if (isRolledBack) expect(action).toMatchObject({ state: 'rolled_back' })
    await load.hasWritten(100)
    const { acknowledged, uncertain } = await load.stop()
    await verify(uid, port, load, isRolledBack ? '1.0.0' : '2.0.0')
    await admin.call('DELETE', `/v1/bdbs/${uid}`)
    return { killed, end: isRolledBack ? 'rolled back' : 'completed', acknowledged, uncertain }
  }

  async function verify(uid: number, port: number, load: WriteLoad, version: string): Promise<void> {
    expect(await load.problems(port)).toEqual([])
    const { body } = await admin.call('GET', `/v1/bdbs/${uid}`)
    expect(body.module_list).toMatchObject([{ semantic_version: version }])
    await expect.poll(async () => (await shards(uid)).length, { timeout: 20_000 }).toBe(2)
    const [one, other] = await shards(uid)
    await expect
      .poll(async () => (await digestOf(one?.uid ?? '')) === (await digestOf(other?.uid ?? '')), { timeout: 20_000 })
      .toBe(true)
  }

  it(
    `keep every acknowledged write while processes are killed, ${rounds} rounds`,
    async () => {
      for (let round = 0; round < rounds; round++) table.push(await playRound(round))
    },
    rounds * roundMs,
  )
})

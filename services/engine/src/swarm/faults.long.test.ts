// Three managers and two workers, and whatever can happen to them, drawn from a seed (ATOLL_TEST_SEED), for so many
// rounds (ATOLL_TEST_ROUNDS). What they came to is in reports/swarm-faults.md.
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answersSince, askingCommand } from './testing/asker.ts'
import { type Draws, drawsFrom } from './testing/draws.ts'
import { FaultTable } from './testing/fault-table.ts'
import { FaultVolumes } from './testing/fault-volumes.ts'
import { type Fault, faults, leaderOf } from './testing/faults.ts'
import { filesWith } from './testing/files-with.ts'
import { hasVxlan, startNodes, type TestNode, type TestNodes } from './testing/start-nodes.ts'
import { hasEtcd, until } from './testing/start-swarm.ts'
import {
  answeredWith,
  get,
  idOf,
  isRunning,
  join,
  type Listed,
  nanos,
  refused,
  running,
  serve,
  settled,
  type Task,
  tasksOf,
} from './testing/swarm-calls.ts'

const rounds = Number(process.env.ATOLL_TEST_ROUNDS ?? 60)
const seed = Number(process.env.ATOLL_TEST_SEED ?? Math.floor(Math.random() * 1e9))
const roundMs = 180_000
const heartbeatMs = 2_000
const downMs = 3 * heartbeatMs + 2_000
/** As long as an address of a service may lead to a task that has ended. */
const staleMs = 2_000
const replicas = 4
const asks = 8
/** How long services stay that were made on the way. */
const keptRounds = 3
/** Megabytes. etcd takes 64 of them, twice, before it writes anything. */
const swarmDisk = 512
const secretWord = randomBytes(24).toString('hex')

let machines: TestNodes
let nodes: TestNode[] = []
let managers: TestNode[] = []
let workers: TestNode[] = []
let volumes: FaultVolumes
const table = new FaultTable('swarm-faults.md', `A swarm of three managers and two workers under faults (seed ${seed})`)
const ids = new Map<string, TestNode>()

const web = {
  Image: 'busybox',
  Command: ['sh', '-c', 'hostname > /tmp/index.html; exec httpd -f -p 80 -h /tmp'],
  StopGracePeriod: 0.1 * nanos,
}

beforeAll(async () => {
  if (!hasEtcd || !hasVxlan) return
  machines = await startNodes(5, swarmDisk)
  nodes = machines.nodes
  const [first, second, third, ...others] = nodes as [TestNode, TestNode, TestNode, TestNode, TestNode]
  managers = [first, second, third]
  workers = others
  const { status, body } = await first.call('POST', '/swarm/init', {
    ...{ ListenAddr: '0.0.0.0:2377', AdvertiseAddr: first.address },
    Spec: { Dispatcher: { HeartbeatPeriod: heartbeatMs * 1e6 } },
  })
  expect(status, JSON.stringify(body)).toBe(200)
  for (const node of [second, third]) expect((await join(node, first, 'Manager')).status).toBe(200)
  for (const node of workers) expect((await join(node, first, 'Worker')).status).toBe(200)
  for (const node of nodes) ids.set(await idOf(node), node)
  await prepareServices(first)
  volumes = new FaultVolumes(nodes)
  await volumes.begin(first)
}, 400_000)

afterAll(async () => {
  await machines?.stop()
  volumes?.end()
}, 120_000)

/** One that is asked by its address, with a secret; and one on every node that asks it. */
async function prepareServices(by: TestNode): Promise<void> {
  await by.call('POST', '/networks/create', { Name: 'over', Driver: 'overlay' })
  const Data = Buffer.from(secretWord).toString('base64')
  const secret = await by.call('POST', '/secrets/create', { Name: 'word', Data })
  const Secrets = [{ SecretID: secret.body.ID, SecretName: 'word', File: { Name: 'word' } }]
  const Networks = [{ Target: 'over' }]
  const made = await serve(
    by,
    'web',
    { Mode: { Replicated: { Replicas: replicas } } },
    { ContainerSpec: { ...web, Secrets }, Networks, RestartPolicy: { Condition: 'any', Delay: 0 } },
  )
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const [task] = await running(by, 'web', replicas)
  const { ContainerID = '' } = task?.Status.ContainerStatus ?? {}
  expect(await ids.get(task?.NodeID ?? '')?.inside(ContainerID, 'cat /run/secrets/word')).toBe(secretWord)
  const { Endpoint } = await until(by, '/services/web', (body) => body.Endpoint.VirtualIPs?.length === 1)
  const Command = askingCommand(Endpoint.VirtualIPs[0].Addr.split('/')[0])
  const ContainerSpec = { Image: 'busybox', Command, StopGracePeriod: 0.1 * nanos }
  expect((await serve(by, 'asking', { Mode: { Global: {} } }, { ContainerSpec, Networks })).status).toBe(201)
  await running(by, 'asking', nodes.length)
}

/** What was acknowledged while something was wrong. */
const names = ['web', 'asking', FaultVolumes.service]

/** A service that is made while something is wrong; that one it makes may be told only when it is asked for again. */
async function makeService(by: TestNode, name: string): Promise<void> {
  const deadline = Date.now() + 60_000
  for (;;) {
    const { status, body } = await serve(by, name)
    if (status === 201 || status === 409) break
    expect([status, body.message]).toEqual([503, expect.stringMatching(/does not have a leader|store of the swarm/)])
    if (Date.now() > deadline) throw new Error(`${name} is refused: ${body.message}`)
    await pause(100)
  }
  names.push(name)
}

async function removeService(name: string): Promise<void> {
  const at = names.indexOf(name)
  if (at === -1) return
  const by = await leaderOf(managers)
  expect((await answeredWith(200, () => by.call('DELETE', `/services/${name}`))).status).toBe(200)
  names.splice(at, 1)
}

/** Looks all the time how many tasks are wanted, who has the volume, and who is taken for gone. Returns how to stop. */
function watchSwarm(): () => Promise<{ most: number; shared: string[]; down: Set<TestNode> }> {
  let most = 0
  let shared: string[] = []
  let isOver = false
  const down = new Set<TestNode>()
  const looking = (async () => {
    while (!isOver) {
      for (const node of managers) {
        const { status, body } = await node.call('GET', tasksOf('web')).catch(() => ({ status: 0, body: [] }))
        if (status === 200) most = Math.max(most, (body as Task[]).filter(isRunning).length)
        const on = await volumes.publishedOn(node)
        if (on.length > 1) shared = on
        const listed = await node.call('GET', '/nodes').catch(() => ({ status: 0, body: [] }))
        if (listed.status !== 200) continue
        for (const { ID, Status } of listed.body as Listed[]) {
          const found = ids.get(ID)
          if (Status.State === 'down' && found !== undefined) down.add(found)
        }
      }
      await pause(250)
    }
  })()
  return async () => {
    isOver = true
    await looking
    return { most, shared, down }
  }
}

/** From a node that is there, the address of the service leads to tasks that answer. */
async function expectAnswers(by: TestNode, draws: Draws, away: readonly TestNode[]): Promise<void> {
  await running(by, 'web', replicas)
  const since = Date.now() + staleMs
  const node = draws.one(nodes.filter((each) => !away.includes(each)))
  const find = async () => {
    const asking: Task[] = await get(tasksOf('asking'), by)
    const task = asking.find((each) => isRunning(each) && ids.get(each.NodeID) === node)
    return { node, container: task?.Status.ContainerStatus?.ContainerID ?? 'none' }
  }
  const answers = await answersSince(find, since, asks)
  expect(answers, `asked on ${node.address}`).toEqual(answers.map(() => 'ok'))
}

async function whileWrong(fault: Fault, draws: Draws, round: number): Promise<void> {
  const there = managers.filter((node) => !fault.away.includes(node))
  const by = draws.one(there)
  if (fault.isMajorityLost === true) {
    const { status, body } = await refused(by)
    expect([status, body.message]).toEqual([503, expect.stringContaining('does not have a leader')])
    const listed = await by.call('GET', '/services')
    expect(listed.status).toBe(200)
    expect(listed.body.map(nameOf)).toEqual(expect.arrayContaining(names))
    return
  }
  await makeService(by, `made-${round}`)
  await volumes.make(by, `made-${round}`)
  if (fault.lasts < downMs) return pause(fault.lasts)
  for (const node of fault.away) {
    const [id] = [...ids].find(([, each]) => each === node) ?? []
    await until(by, `/nodes/${id}`, ({ Status }) => Status?.State === 'down')
  }
  await expectAnswers(by, draws, fault.away)
}

const nameOf = ({ Spec }: { Spec: { Name: string } }): string => Spec.Name
const containersOf = async (node: TestNode, service: string): Promise<string[]> => {
  const filters = encodeURIComponent(JSON.stringify({ label: [`com.docker.swarm.service.name=${service}`] }))
  return (await get(`/containers/json?filters=${filters}`, node)).map(({ Id }: { Id: string }) => Id)
}

/** Everything is as it was wanted, and nothing else. */
async function expectWhole(draws: Draws): Promise<void> {
  for (const node of managers) await settled(node, managers.length)
  const by = await leaderOf(managers)
  await until(by, '/nodes', (all: Listed[]) => all.every(({ Status }) => Status.State === 'ready'))
  for (const node of managers) {
    const has = (all: { Spec: { Name: string } }[]) => names.every((name) => all.map(nameOf).includes(name))
    await until(node, '/services', (all) => Array.isArray(all) && has(all))
  }
  await running(by, 'asking', nodes.length)
  await expect
    .poll(
      async () => {
        const wanted = (await running(by, 'web', replicas)).map(({ Status }) => Status.ContainerStatus?.ContainerID)
        const there = (await Promise.all(nodes.map((node) => containersOf(node, 'web')))).flat()
        return there.sort().join() === wanted.sort().join() || { there, wanted }
      },
      { timeout: 60_000 },
    )
    .toBe(true)
  await volumes.expectWhole(by, ids)
  await expectAnswers(by, draws, [])
}

describe.skipIf(!hasEtcd || !hasVxlan)('a swarm of three managers and two workers', () => {
  it(`loses no service, runs no task twice and answers by its addresses, whatever happens (seed ${seed})`, {
    timeout: rounds * roundMs,
  }, async () => {
    const draws = drawsFrom(seed)
    const kinds = Object.keys(faults)
    await expectWhole(draws)
    let left = [...kinds]
    for (let round = 0; round < rounds; round++) {
      // Each of them once before any comes again.
      if (left.length === 0) left = [...kinds]
      const kind = draws.one(left)
      left = left.filter((each) => each !== kind)
      const begun = Date.now()
      const stopWatching = watchSwarm()
      const fault = await (faults[kind] as (typeof faults)[string])({ managers, workers, draws, downMs })
      const what = `seed ${seed}, round ${round}: ${kind} (${fault.what}, ${fault.lasts} ms)`
      const row = { kind, what: fault.what, lastsMs: fault.lasts }
      try {
        await whileWrong(fault, draws, round)
        await fault.end()
        await expectWhole(draws)
      } catch (error) {
        table.add({ ...row, wholeMs: undefined, problem: (error as Error).message })
        throw new Error(`${what}: ${(error as Error).message}`, { cause: error })
      } finally {
        const seen = await stopWatching()
        expect(seen.most, what).toBeLessThanOrEqual(replicas)
        expect(seen.shared, `${what}: nodes that have a volume which one may have`).toEqual([])
        const wronglyDown = [...seen.down].filter((node) => !fault.away.includes(node)).map(({ address }) => address)
        // A machine that is too slow for heartbeats does this as well.
        if (wronglyDown.length > 0) console.warn(`${what}: ${wronglyDown.join()} taken for gone`)
      }
      table.add({ ...row, wholeMs: Date.now() - begun })
      if (round >= keptRounds) {
        await removeService(`made-${round - keptRounds}`)
        await volumes.remove(await leaderOf(managers), `made-${round - keptRounds}`)
      }
      console.log(`${what}: whole again after ${Date.now() - begun} ms`)
    }
  })

  it('keeps no secret on a disk', { timeout: 60_000 }, async () => {
    for (const { folder } of managers) {
      expect(await filesWith('"asking"', nodes)).toContainEqual(
        expect.stringContaining(`${folder}/engine/swarm/etcd/data`),
      )
    }
    expect(await filesWith(secretWord, nodes)).toEqual([])
    expect(await filesWith(Buffer.from(secretWord).toString('base64'), nodes)).toEqual([])
  })
})

// What can happen to a swarm of several managers and workers. Each fault lasts until what it returns is called.
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { findProgram } from '@atoll/kernel/programs/find-program'
import type { Draws } from './draws.ts'
import type { TestNode } from './start-nodes.ts'
import { answeredWith, get, idOf, isRunning, type Listed, leaderAt, type Task, tasksOf } from './swarm-calls.ts'

export interface FaultField {
  managers: readonly TestNode[]
  workers: readonly TestNode[]
  draws: Draws
  /** How long a node may be silent. */
  downMs: number
}

export interface Fault {
  /** In the words of a report. */
  what: string
  /** Those that cannot be asked while it lasts. */
  away: readonly TestNode[]
  /** Managers can write nothing while it lasts. */
  isMajorityLost?: boolean
  /** As long as it is to last, before it is ended. */
  lasts: number
  end(): Promise<unknown>
}

type Begin = (field: FaultField) => Promise<Fault>

const momentMs = 500
const syncMs = 200
const largeBytes = 400 * 1024
const maxLarge = 50
const nothing = async (): Promise<void> => {}

/** It makes system calls of another program slow. */
const hasStrace = findProgram('strace') !== undefined

export const faults: Record<string, Begin> = {
  async 'the leader is killed'({ managers, draws, downMs }) {
    const leader = await leaderOf(managers)
    await killAll(leader)
    return { what: named(leader), away: [leader], lasts: draws.one([momentMs, downMs]), end: () => leader.revive() }
  },
  async 'the store of a manager is killed'({ managers, draws }) {
    const node = draws.one(managers)
    await node.host.run('pkill', ['-KILL', '-x', 'etcd'])
    return { what: named(node), away: [node], lasts: momentMs, end: nothing }
  },
  async 'the store of the leader is killed'({ managers }) {
    const node = await leaderOf(managers)
    await node.host.run('pkill', ['-KILL', '-x', 'etcd'])
    return { what: named(node), away: [node], lasts: momentMs, end: nothing }
  },
  async 'a worker is killed'({ workers, draws, downMs }) {
    const node = draws.one(workers)
    await node.kill()
    return { what: named(node), away: [node], lasts: draws.one([momentMs, downMs]), end: () => node.revive() }
  },
  async 'a node is cut off'({ managers, workers, draws, downMs }) {
    const node = draws.one([...managers, ...workers])
    await node.link(false)
    return { what: named(node), away: [node], lasts: draws.one([momentMs, downMs]), end: () => node.link(true) }
  },
  async 'the leader is cut off'({ managers, downMs }) {
    const node = await leaderOf(managers)
    await node.link(false)
    return { what: named(node), away: [node], lasts: downMs, end: () => node.link(true) }
  },
  async 'a node hears nothing, or is not heard'({ managers, workers, draws, downMs }) {
    const [node, direction] = [draws.one([...managers, ...workers]), draws.one(['input', 'output'] as const)]
    await node.deaf(direction)
    const end = () => node.deaf(undefined)
    return { what: `${named(node)} ${direction}`, away: [node], lasts: draws.one([momentMs, downMs]), end }
  },
  async 'the clock of a node is off'({ managers, workers, draws }) {
    const [node, seconds] = [draws.one([...managers, ...workers]), draws.one([-10, 0, 10])]
    await node.skew(seconds * 1000)
    return { what: `${named(node)} ${seconds} s`, away: [], lasts: momentMs, end: nothing }
  },
  async 'a task is killed'({ managers, workers, draws }) {
    const node = draws.one([...managers, ...workers])
    const id = await idOf(node)
    const all: Task[] = await get(tasksOf('web'), await leaderOf(managers))
    const mine = all.find((task) => isRunning(task) && task.NodeID === id)
    const { ContainerID = '' } = mine?.Status.ContainerStatus ?? {}
    if (mine !== undefined) await node.call('POST', `/containers/${ContainerID}/kill?signal=KILL`)
    return { what: named(node), away: [], lasts: 0, end: nothing }
  },
  'the disk of a manager is full': fullDisk,
  ...(hasStrace ? { 'the disk of a manager is slow': slowDisk } : {}),
  async 'most managers are killed'({ managers, draws }) {
    const left = draws.one(managers)
    const lost = managers.filter((node) => node !== left)
    await Promise.all(lost.map(killAll))
    const end = () => Promise.all(lost.map((node) => node.revive()))
    return { what: `all but ${named(left)}`, away: lost, isMajorityLost: true, lasts: momentMs, end }
  },
}

/** Each write of the store that has to reach the disk takes so much longer. */
async function slowDisk({ managers, draws, downMs }: FaultField): Promise<Fault> {
  const node = draws.one(managers)
  const calls = 'fsync,fdatasync'
  const held = ['-e', `trace=${calls}`, '-e', `inject=${calls}:delay_enter=${syncMs * 1000}`]
  const slowing = await node.host.spawn('strace', ['-f', '-qq', '-o', '/dev/null', ...held, '-p', await etcdOf(node)])
  const end = async () => {
    slowing.kill('SIGTERM')
    await slowing.ended
  }
  return { what: `${named(node)} by ${syncMs} ms`, away: [], lasts: draws.one([momentMs, downMs]), end }
}

const etcdOf = async ({ host }: TestNode): Promise<string> => (await host.run('pidof', ['-s', 'etcd'])).stdout.trim()

/** A store whose disk is full goes on with the room that it has; what it would have to grow for ends it. */
async function fullDisk({ managers, draws }: FaultField): Promise<Fault> {
  const node = draws.one(managers)
  const by = managers.find((each) => each !== node) as TestNode
  const made: string[] = []
  const pid = await etcdOf(node)
  await node.fillDisk(true)
  while ((await etcdOf(node)) === pid) {
    if (made.length === maxLarge) throw new Error(`${named(node)} does not notice that its disk is full`)
    const Data = randomBytes(largeBytes).toString('base64')
    const { status, body } = await by.call('POST', '/configs/create', { Name: randomBytes(8).toString('hex'), Data })
    if (status === 201) made.push(body.ID)
  }
  const end = async () => {
    await node.fillDisk(false)
    for (const id of made) await answeredWith(204, () => by.call('DELETE', `/configs/${id}`))
  }
  return { what: named(node), away: [node], lasts: momentMs, end }
}

const named = ({ address }: TestNode): string => `node ${address.split('.').at(-1)}`

/** The engine and its store, both as a crash does it. */
async function killAll(node: TestNode): Promise<void> {
  await node.kill()
  await node.host.run('pkill', ['-KILL', '-x', 'etcd'])
}

/** Waits until somebody leads. */
export async function leaderOf(managers: readonly TestNode[]): Promise<TestNode> {
  for (;;) {
    for (const node of managers) {
      const { status, body } = await node.call('GET', '/nodes').catch(() => ({ status: 0, body: [] }))
      const leader = status === 200 ? (body as Listed[]).find(({ ID }) => ID === leaderAt(body)) : undefined
      const found = managers.find(({ address }) => address === leader?.Status.Addr)
      if (found !== undefined) return found
    }
    await pause(100)
  }
}

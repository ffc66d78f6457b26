// What is measured of each engine's swarm.
import { rate } from '../engine/measures.ts'
import { leaderOf, type Machine, type Several, settled, until } from './several.ts'

const replicas = 20
const movedReplicas = 8
const manyServices = 1_000
const createdAtOnce = 4

interface Task {
  NodeID?: string
  DesiredState: string
  Status: { State: string }
}

const service = (Name: string, Replicas: number, Constraints: string[] = []) => ({
  Name,
  Mode: { Replicated: { Replicas } },
  TaskTemplate: {
    ContainerSpec: { Image: 'busybox', Command: ['sleep', '3600'], StopGracePeriod: 1e8 },
    Placement: { Constraints },
  },
})

const tasksOf = async ({ peer }: Machine, name: string): Promise<Task[]> =>
  peer.client
    .ask<Task[]>('GET', `/tasks?filters=${encodeURIComponent(JSON.stringify({ service: [name] }))}`)
    .catch(() => [])

const isRunning = ({ Status, DesiredState }: Task): boolean => Status.State === 'running' && DesiredState === 'running'

const running = (by: Machine, name: string, count: number, isRight: (task: Task) => boolean = () => true) =>
  until(async () => {
    const up = (await tasksOf(by, name)).filter((task) => isRunning(task) && isRight(task))
    return up.length === count ? up : undefined
  })

async function removed(by: Machine, name: string): Promise<void> {
  await by.peer.client.ask('DELETE', `/services/${name}`)
  await until(async () => ((await tasksOf(by, name)).length === 0 ? true : undefined))
}

/** Milliseconds from asking for a service until all of its tasks run, on three nodes. */
export async function allRunning(several: Several): Promise<number> {
  const by = await leaderOf(several)
  const began = performance.now()
  await by.peer.client.ask('POST', '/services/create', service('many', replicas, ['node.role==manager']))
  await running(by, 'many', replicas)
  const took = performance.now() - began
  await removed(by, 'many')
  return took
}

/** Seconds from the leader's death until another manager takes a write. */
export async function nextWrite(several: Several, round: number): Promise<number> {
  const leader = await leaderOf(several)
  const [other] = several.managers.filter((machine) => machine !== leader) as [Machine]
  await leader.peer.kill()
  const began = performance.now()
  let attempt = 0
  await until(async () => {
    const name = `next-${round}-${attempt++}`
    const { status } = await other.peer.client.call('POST', '/services/create', service(name, 0))
    return status === 201 ? true : undefined
  })
  const took = (performance.now() - began) / 1000
  await leader.peer.start()
  for (const machine of several.managers) await settled(machine, several.managers.length)
  return took
}

/** Lists of many services in a second, and the megabytes of one. */
export async function listRate(several: Several): Promise<number | undefined> {
  const by = await leaderOf(several)
  for (let at = 0; at < manyServices; at += createdAtOnce) {
    const names = Array.from({ length: createdAtOnce }, (_, index) => `listed-${at + index}`)
    await Promise.all(names.map((name) => by.peer.client.ask('POST', '/services/create', service(name, 0))))
  }
  return (await rate(by.host, by.peer, '/services', 1))?.perSecond
}

/** Seconds from a worker's death, with its machine, until its tasks run elsewhere. The swarm has one node less then. */
export async function movedAway(several: Several): Promise<number> {
  const by = await leaderOf(several)
  await by.peer.client.ask('POST', '/services/create', service('moved', movedReplicas))
  const { Swarm } = await several.worker.peer.client.ask<{ Swarm: { NodeID: string } }>('GET', '/info')
  await running(by, 'moved', movedReplicas)
  await several.worker.host.stop()
  const began = performance.now()
  await running(by, 'moved', movedReplicas, ({ NodeID }) => NodeID !== Swarm.NodeID)
  return (performance.now() - began) / 1000
}

// What tests ask of swarms of several machines.
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer } from '../../testing/ask-json.ts'
import type { TestNode } from './start-nodes.ts'
import { until } from './start-swarm.ts'

export const nanos = 1e9

export interface Listed {
  ID: string
  Spec: { Role: string }
  Status: { State: string; Addr: string }
  ManagerStatus?: { Leader: boolean; Reachability: string; Addr: string }
}

export interface Task {
  ID: string
  NodeID: string
  DesiredState: string
  Status: { State: string; ContainerStatus?: { ContainerID: string; PID: number } }
}

export const get = async (path: string, from: TestNode): Promise<Answer['body']> => (await from.call('GET', path)).body
export const idOf = async (node: TestNode): Promise<string> => (await get('/info', node)).Swarm.NodeID

export const leaderAt = (all: Listed[]): string | undefined =>
  all.find(({ ManagerStatus }) => ManagerStatus?.Leader)?.ID
export const reachable = (all: Listed[]): Listed[] =>
  all.filter(({ ManagerStatus }) => ManagerStatus?.Reachability === 'reachable')

/** A machine that is there, and knows who leads. */
export const settled = (node: TestNode, managers: number): Promise<Listed[]> =>
  until(
    node,
    '/nodes',
    (all) => Array.isArray(all) && reachable(all).length === managers && leaderAt(all) !== undefined,
  )

export const join = async (node: TestNode, by: TestNode, role: 'Manager' | 'Worker'): Promise<Answer> => {
  const { JoinTokens } = await get('/swarm', by)
  return node.call('POST', '/swarm/join', {
    ...{ ListenAddr: '0.0.0.0:2377', RemoteAddrs: [`${by.address}:2377`], JoinToken: JoinTokens[role] },
  })
}

export const setNode = async (by: TestNode, id: string, change: object): Promise<Answer> => {
  const { Spec, Version } = await get(`/nodes/${id}`, by)
  return by.call('POST', `/nodes/${id}/update?version=${Version.Index}`, { ...Spec, ...change })
}

export const serve = (by: TestNode, name: string, change: object = {}, template: object = {}): Promise<Answer> =>
  by.call('POST', '/services/create', {
    Name: name,
    TaskTemplate: {
      ContainerSpec: { Image: 'busybox', Command: ['sleep', '3600'], StopGracePeriod: 0.1 * nanos },
      ...template,
    },
    ...change,
  })

export const tasksOf = (service: string): string =>
  `/tasks?filters=${encodeURIComponent(JSON.stringify({ service: [service] }))}`

export const isRunning = ({ Status, DesiredState }: Task): boolean =>
  Status.State === 'running' && DesiredState === 'running'

export const running = (by: TestNode, service: string, count: number): Promise<Task[]> =>
  until(by, tasksOf(service), (all) => Array.isArray(all) && all.filter(isRunning).length === count).then(
    (all: Task[]) => all.filter(isRunning),
  )

/** Asks until it is answered so: a manager that was killed may vote for a moment more, and then nobody leads for some. */
export const answeredWith = async (status: number, ask: (attempt: number) => Promise<Answer>): Promise<Answer> => {
  const deadline = Date.now() + 60_000
  for (let attempt = 0; ; attempt++) {
    const answer = await ask(attempt)
    if (answer.status === status || Date.now() > deadline) return answer
    await pause(100)
  }
}
export const taken = (by: TestNode, name: string): Promise<Answer> => answeredWith(201, () => serve(by, name))
export const refused = (by: TestNode): Promise<Answer> =>
  answeredWith(503, (attempt) => serve(by, `refused-${attempt}`))

// An engine that is killed while its swarm changes: whatever was under way, in the end there is what was asked for.
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { EngineClient } from '@atoll/engine/testing/engine-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EngineServer, lacking, startEngineServer } from './engine-server.ts'

const lacks = lacking('etcd')
const rounds = process.env.ATOLL_TEST_LONG === '1' ? 30 : 1
const settleMs = 60_000
let server: EngineServer

interface Task {
  ID: string
  Slot: number
  DesiredState: string
  Status: { State: string; ContainerStatus?: { ContainerID: string } }
  Spec: { ContainerSpec: { Env: string[] } }
}
interface Service {
  Version: { Index: number }
  Spec: { Mode: { Replicated: { Replicas: number } }; TaskTemplate: { ContainerSpec: { Env: string[] } } }
}

beforeAll(async () => {
  if (lacks.length === 0) server = await startEngineServer()
}, 120_000)
afterAll(async () => {
  await server?.stop()
}, 60_000)

/** Changes how many there are, and what they are like; what was last acknowledged counts. */
async function change(client: EngineClient, replicas: number, version: string): Promise<void> {
  const { Spec, Version } = await client.ask<Service>('GET', '/services/busy')
  Spec.Mode.Replicated.Replicas = replicas
  Spec.TaskTemplate.ContainerSpec.Env = [`V=${version}`]
  await client.ask('POST', `/services/busy/update?version=${Version.Index}`, Spec)
}

/** Exactly these tasks run, each in a container of its own, and there are no others. */
async function isAsAsked(client: EngineClient): Promise<string> {
  const { Spec } = await client.ask<Service>('GET', '/services/busy')
  const tasks = await client.ask<Task[]>('GET', '/tasks')
  const containers = await client.ask<{ Id: string; State: string }[]>('GET', '/containers/json')
  const wanted = tasks.filter(({ DesiredState }) => DesiredState === 'running')
  const running = wanted.filter(
    ({ Status, Spec: { ContainerSpec } }) =>
      Status.State === 'running' && ContainerSpec.Env.join() === Spec.TaskTemplate.ContainerSpec.Env.join(),
  )
  const own = running.map(({ Status }) => Status.ContainerStatus?.ContainerID).sort()
  const slots = new Set(running.map(({ Slot }) => Slot))
  const { Replicas } = Spec.Mode.Replicated
  const isRight =
    running.length === Replicas &&
    wanted.length === Replicas &&
    slots.size === Replicas &&
    own.join() ===
      containers
        .map(({ Id }) => Id)
        .sort()
        .join()
  return isRight
    ? ''
    : JSON.stringify({
        Replicas,
        tasks: tasks.map(({ ID, Slot, DesiredState, Status }) => [ID, Slot, DesiredState, Status.State]),
        containers,
      })
}

describe.skipIf(lacks.length > 0)('a swarm whose engine is killed', { timeout: 60_000 + rounds * 60_000 }, () => {
  it(`comes to what was asked for, ${rounds} times`, async () => {
    const client = new EngineClient(server.socketPath)
    await client.ask('POST', '/swarm/init', { ListenAddr: '127.0.0.1:2377', AdvertiseAddr: '127.0.0.1' })
    await client.ask('POST', '/services/create', {
      Name: 'busy',
      Mode: { Replicated: { Replicas: 2 } },
      TaskTemplate: {
        ContainerSpec: { Image: 'busybox', Args: ['sleep', '3600'], StopGracePeriod: 0, Env: ['V=0'] },
        RestartPolicy: { Delay: 1_000_000 },
      },
      UpdateConfig: { Parallelism: 2, Monitor: 1_000_000 },
    })
    for (let round = 1; round <= rounds; round++) {
      await change(client, 1 + (round % 4), String(round))
      await pause(randomInt(600))
      await server.end('SIGKILL')
      await server.start()
      let problem = await isAsAsked(client)
      for (const until = Date.now() + settleMs; problem !== '' && Date.now() < until; ) {
        await pause(50)
        problem = await isAsAsked(client)
      }
      expect(problem, `round ${round}`).toBe('')
    }
    await client.ask('DELETE', '/services/busy')
    await expect.poll(() => client.ask<unknown[]>('GET', '/containers/json?all=1'), { timeout: settleMs }).toEqual([])
    await client.call('POST', '/swarm/leave?force=1')
    client.close()
  })
})

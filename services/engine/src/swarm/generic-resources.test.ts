// What machines offer and tasks reserve: read, given out, and told.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWholeEngine, type WholeEngine } from '../testing/start-whole-engine.ts'
import { assignGeneric, genericEnvironment, readGenericResources } from './generic-resources.ts'
import { beginSwarm, hasEtcd, until } from './testing/start-swarm.ts'
import { nanos, type Task, tasksOf } from './testing/swarm-calls.ts'

const discrete = (Kind: string, Value: number) => ({ DiscreteResourceSpec: { Kind, Value } })
const named = (Kind: string, Value: string) => ({ NamedResourceSpec: { Kind, Value } })

describe('generic resources', () => {
  it('are read by name or by number, and never by both', () => {
    expect(readGenericResources(['GPU=a', 'GPU=b', 'seat=3'])).toEqual([
      named('GPU', 'a'),
      named('GPU', 'b'),
      discrete('seat', 3),
    ])
    expect(readGenericResources(['GPU=a', 'GPU=2'])).toMatch(/GPU is offered by number/)
    expect(readGenericResources(['seat=3', 'seat=2'])).toMatch(/seat is offered by number/)
    expect(readGenericResources(['GPU=a', 'GPU=a'])).toMatch(/GPU=a is offered twice/)
  })

  it('are given out while there are some', () => {
    const offered = [named('GPU', 'a'), named('GPU', 'b'), discrete('seat', 3)]
    expect(assignGeneric(offered, [named('GPU', 'a')], [discrete('GPU', 1)])).toEqual([named('GPU', 'b')])
    expect(assignGeneric(offered, [named('GPU', 'a')], [discrete('GPU', 2)])).toBeUndefined()
    expect(assignGeneric(offered, [discrete('seat', 2)], [discrete('seat', 1)])).toEqual([discrete('seat', 1)])
    expect(assignGeneric(offered, [discrete('seat', 2)], [discrete('seat', 2)])).toBeUndefined()
    expect(assignGeneric(offered, [], [discrete('disk', 1)])).toBeUndefined()
    expect(genericEnvironment([named('gpu', 'a'), named('gpu', 'b'), discrete('seat', 2)])).toEqual([
      'DOCKER_RESOURCE_GPU=a,b',
      'DOCKER_RESOURCE_SEAT=2',
    ])
  })
})

describe.skipIf(!hasEtcd)('a node with generic resources', { timeout: 120_000 }, () => {
  let engine: WholeEngine
  let nodeId: string
  const offered = [named('GPU', 'card0'), named('GPU', 'card1'), discrete('seat', 1)]

  beforeAll(async () => {
    if (!hasEtcd) return
    engine = await startWholeEngine({ settings: { genericResources: ['GPU=card0', 'GPU=card1', 'seat=1'] } })
    nodeId = await beginSwarm(engine)
  }, 120_000)
  afterAll(() => engine?.stop())

  it('shows them, gives each of them to one task, tells the task, and lets others wait', async () => {
    const { Description } = (await engine.call('GET', `/nodes/${nodeId}`)).body
    expect(Description.Resources.GenericResources).toEqual(offered)
    expect((await engine.call('GET', '/info')).body.GenericResources).toEqual(offered)
    const made = await engine.call('POST', '/services/create', {
      ...{ Name: 'cards', Mode: { Replicated: { Replicas: 3 } } },
      TaskTemplate: {
        ContainerSpec: { Image: 'busybox', Command: ['sleep', '3600'], StopGracePeriod: 0.1 * nanos },
        Resources: { Reservations: { GenericResources: [discrete('GPU', 1)] } },
      },
    })
    expect([made.status, made.body.message]).toEqual([201, undefined])
    type Given = Task & { GenericResources?: object[]; Status: { Err?: string } }
    const count = (all: Given[], state: string) => all.filter(({ Status }) => Status.State === state).length
    const all: Given[] = await until(
      engine,
      tasksOf('cards'),
      (tasks) => count(tasks, 'running') === 2 && count(tasks, 'pending') === 1,
    )
    const running = all.filter(({ Status }) => Status.State === 'running')
    expect(running.map(({ GenericResources }) => JSON.stringify(GenericResources)).sort()).toEqual([
      JSON.stringify([named('GPU', 'card0')]),
      JSON.stringify([named('GPU', 'card1')]),
    ])
    expect(all.find(({ Status }) => Status.State === 'pending')?.Status.Err).toContain('insufficient resources')
    const [first] = running
    const { Config } = (await engine.call('GET', `/containers/${first?.Status.ContainerStatus?.ContainerID}/json`)).body
    expect(Config.Env.join(' ')).toMatch(/DOCKER_RESOURCE_GPU=card[01]/)
  })

  it('is asked for numbers alone', async () => {
    const { status, body } = await engine.call('POST', '/services/create', {
      ...{ Name: 'named' },
      TaskTemplate: {
        ContainerSpec: { Image: 'busybox' },
        Resources: { Reservations: { GenericResources: [named('GPU', 'card0')] } },
      },
    })
    expect([status, body.message]).toEqual([400, expect.stringContaining('invalid argument for resource GPU')])
  })
})

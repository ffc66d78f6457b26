import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beginSwarm, hasEtcd, until } from '../../swarm/testing/start-swarm.ts'
import type { Answer } from '../../testing/ask-json.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
const get = async (path: string) => (await engine.call('GET', path)).body
const filtered = (filters: object) => get(`/tasks?filters=${encodeURIComponent(JSON.stringify(filters))}`)
const service = (Name: string, container: object) => ({
  Name,
  Labels: { of: Name },
  TaskTemplate: { ContainerSpec: { Image: 'busybox', StopGracePeriod: 0, ...container } },
})

beforeAll(async () => {
  if (!hasEtcd) return
  engine = await startWholeEngine()
  await beginSwarm(engine)
  const say = ['sh', '-c', 'echo said; sleep 3600']
  for (const body of [service('plain', { Args: say }), service('screen', { Args: say, TTY: true })]) {
    expect((await engine.call('POST', '/services/create', body)).status).toBe(201)
  }
  const isUp = (tasks: Answer['body']) => tasks.every((task: Answer['body']) => task.Status.State === 'running')
  await until(engine, '/tasks', (tasks) => tasks.length === 2 && isUp(tasks))
}, 120_000)
afterAll(async () => {
  await engine?.call('POST', '/swarm/leave?force=1')
  await engine?.stop()
}, 60_000)

describe.skipIf(!hasEtcd)('tasks', () => {
  it('tell what they are, where they run, and how', async () => {
    const [task] = await filtered({ service: ['plain'] })
    expect(task).toMatchObject({
      ...{ Slot: 1, DesiredState: 'running', NodeID: (await get('/nodes/self')).ID },
      Status: {
        State: 'running',
        Message: 'started',
        ContainerStatus: { ContainerID: expect.stringMatching(/^\w{64}$/) },
      },
      Spec: { ContainerSpec: { Image: 'busybox' } },
    })
    for (const asked of [task.ID, task.ID.slice(0, 10)]) expect(await get(`/tasks/${asked}`)).toEqual(task)
    expect((await engine.call('GET', '/tasks/nobody')).status).toBe(404)
    const { State } = await get(`/containers/${task.Status.ContainerStatus.ContainerID}/json`)
    expect(State.Pid).toBe(task.Status.ContainerStatus.PID)
  })

  it('are filtered by everything that clients ask for', async () => {
    const [plain] = await filtered({ service: ['plain'] })
    const { ID: nodeId, Description } = await get('/nodes/self')
    const cases: [object, number][] = [
      [{ id: [plain.ID] }, 1],
      [{ name: [`plain.1`] }, 1],
      [{ name: ['nobody'] }, 0],
      [{ service: [plain.ServiceID] }, 1],
      [{ node: [nodeId] }, 2],
      [{ node: [Description.Hostname] }, 2],
      [{ node: ['nowhere'] }, 0],
      [{ label: ['of=screen'] }, 1],
      [{ 'desired-state': ['running'] }, 2],
      [{ 'desired-state': ['shutdown'] }, 0],
      [{ '_up-to-date': { true: true }, service: { [plain.ServiceID]: true } }, 1],
      [{ '_up-to-date': ['false'] }, 0],
      [{ runtime: ['container'] }, 2],
    ]
    for (const [filters, count] of cases) expect(await filtered(filters), JSON.stringify(filters)).toHaveLength(count)
    for (const wrong of [{ colour: ['red'] }, { 'desired-state': ['happy'] }]) {
      expect((await filtered(wrong)).message).toMatch(/^invalid filter/)
    }
  })

  it('ENG-597 ENG-598 tell what they said, and from 1.42 on whether it is in frames', async () => {
    const read = async (api: string, name: string) => {
      const [{ ID }] = await filtered({ service: [name] })
      const response = await engine.client.open('GET', `/v${api}/tasks/${ID}/logs?stdout=1`)
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      return [response.headers['content-type'], Buffer.concat(chunks).toString('latin1')]
    }
    const [framed, raw] = ['application/vnd.docker.multiplexed-stream', 'application/vnd.docker.raw-stream']
    expect(await read('1.42', 'plain')).toEqual([framed, '\u0001\0\0\0\0\0\0\u0005said\n'])
    expect(await read('1.42', 'screen')).toEqual([raw, 'said\r\n'])
    expect((await read('1.41', 'plain'))[0]).toBe(raw)
  })
})

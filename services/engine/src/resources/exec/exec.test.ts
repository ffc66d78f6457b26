import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Hijacked } from '../../streams/testing/hijacked.ts'
import { type StreamingEngine, startStreamingEngine } from '../../streams/testing/streaming-engine.ts'
import { maxExecsPerContainer } from './exec-table.ts'

let engine: StreamingEngine
let container: string
beforeAll(async () => {
  engine = await startStreamingEngine()
  container = await engine.create()
  await engine.run(container, 'exec sleep 600')
})
afterAll(() => engine.close())

const ask = async (method: string, path: string, body?: unknown) => {
  const answer = await engine.ask(method, path, body)
  return { status: answer.status, value: answer.body.length > 0 ? JSON.parse(answer.body.toString()) : undefined }
}
const create = async (body: Record<string, unknown>, id = container): Promise<string> => {
  const { status, value } = await ask('POST', `/containers/${id}/exec`, body)
  expect(status).toBe(201)
  expect(value.Id).toMatch(/^[0-9a-f]{64}$/)
  return value.Id
}
const both = { AttachStdout: true, AttachStderr: true }
const start = (id: string, options: Parameters<typeof Hijacked.open>[2] & { version?: string } = {}) =>
  Hijacked.open(engine.dial(), `${options.version ?? ''}/exec/${id}/start`, { body: { Detach: false }, ...options })
const terminal = { body: { Tty: true } }
const inspect = async (id: string) => (await ask('GET', `/exec/${id}/json`)).value
const sh = (script: string) => ['sh', '-c', script]
const about = (id: string) => engine.actions(container).filter(({ Actor }) => Actor.Attributes.execID === id)

describe('exec', () => {
  for (const [how, isUpgrade, status] of [
    ['with Upgrade', true, '101'],
    ['without Upgrade', false, '200'],
  ] as const) {
    it(`runs a command and tells its end, ${how}`, async () => {
      const id = await create({ ...both, Cmd: sh('echo out; echo err >&2; exit 3') })
      expect(await inspect(id)).toMatchObject({ Running: false, ExitCode: null, Pid: 0 })
      const client = await start(id, { isUpgrade })
      expect(client.head).toContain(`HTTP/1.1 ${status} `)
      expect(client.head).toContain('content-type: application/vnd.docker.multiplexed-stream')
      await client.ended()
      expect([client.output(1), client.output(2)]).toEqual(['out\n', 'err\n'])
      // The exit code is known as soon as the stream has ended: clients ask for it then.
      const told = await inspect(id)
      expect(told).toMatchObject({ Running: false, ExitCode: 3, ContainerID: container, CanRemove: true })
      expect(told.Pid).toBeGreaterThan(1)
    })
  }

  it('has a terminal with plain bytes, of the size asked for from its first instruction on, and resizes it', async () => {
    const id = await create({
      ...both,
      AttachStdin: true,
      Tty: true,
      ConsoleSize: [33, 99],
      Cmd: sh('stty size; read x; stty size'),
    })
    const client = await start(id, terminal)
    expect(client.head).toContain('content-type: application/vnd.docker.raw-stream')
    await client.until(() => client.text.includes('\r\n'))
    expect(client.text).toBe('33 99\r\n')
    expect((await ask('POST', `/exec/${id}/resize?h=44&w=111`)).status).toBe(200)
    client.socket.write('\n')
    await client.ended()
    expect(client.text).toContain('44 111')
  })

  it('takes input, and ends it when the client does', async () => {
    const id = await create({ ...both, AttachStdin: true, Cmd: ['cat'] })
    const client = await start(id)
    client.socket.end('through\n')
    await client.ended()
    expect(client.output(1)).toBe('through\n')
    expect(await inspect(id)).toMatchObject({ ExitCode: 0, OpenStdin: true })
  })

  it('gives only the streams that were asked for', async () => {
    const id = await create({ AttachStderr: true, Cmd: sh('echo out; echo err >&2') })
    const client = await start(id)
    await client.ended()
    expect(client.frames).toEqual([{ stream: 2, text: 'err\n' }])
  })

  it('tells events of the whole life, with the command and the exit code', async () => {
    const id = await create({ ...both, Cmd: sh('exit 9') })
    await (await start(id)).ended()
    expect(about(id).map(({ Action }) => Action)).toEqual([
      'exec_create: sh -c exit 9',
      'exec_start: sh -c exit 9',
      'exec_die',
    ])
    expect(about(id).at(-1)?.Actor.Attributes).toMatchObject({ exitCode: '9', image: 'busybox', execID: id })
  })

  it('lets a client leave by the detach keys while the process goes on', async () => {
    const id = await create({
      ...both,
      AttachStdin: true,
      Tty: true,
      DetachKeys: 'ctrl-x',
      Cmd: sh('echo up; read x; sleep 1'),
    })
    const client = await start(id)
    await client.until(() => client.text.includes('up'))
    client.socket.write('\x18')
    await client.ended()
    expect(about(id).at(-1)?.Action).toBe('exec_detach')
    expect(await inspect(id)).toMatchObject({ Running: true, DetachKeys: 'ctrl-x' })
  })

  it('starts detached with an empty answer, also by the odd spelling', async () => {
    for (const method of ['POST', 'GET']) {
      const id = await create({ Cmd: sh('exit 4') })
      const { status, body } = await engine.ask(method, `/exec/${id}/start`, { Detach: true })
      expect([status, body.length]).toEqual([200, 0])
      await expect.poll(async () => (await inspect(id)).ExitCode).toBe(4)
    }
  })

  it('tells a command that is not there as a shell would', async () => {
    const id = await create({ ...both, Cmd: ['no-such-program'] })
    const client = await start(id)
    await client.ended()
    expect(client.output(1)).toMatch(/exec failed.*executable file not found/)
    expect(await inspect(id)).toMatchObject({ ExitCode: 127, Running: false })
    const detached = await create({ Cmd: ['no-such-program'] })
    const refused = await ask('POST', `/exec/${detached}/start`, { Detach: true })
    expect(refused.status).toBe(400)
    expect(refused.value.message).toContain('executable file not found')
  })

  it('tells all of a process, with the networks of its container', async () => {
    const id = await create({ AttachStdout: true, Privileged: true, User: '1000', Cmd: ['a', 'b', 'c'] })
    expect(await inspect(id)).toEqual({
      ID: id,
      Running: false,
      ExitCode: null,
      ProcessConfig: { tty: false, entrypoint: 'a', arguments: ['b', 'c'], privileged: true, user: '1000' },
      OpenStdin: false,
      OpenStderr: false,
      OpenStdout: true,
      CanRemove: false,
      ContainerID: container,
      DetachKeys: '',
      Pid: 0,
      NetworkSettings: { Networks: { bridge: { IPAddress: '172.17.0.2' } } },
    })
  })

  it('is refused for what is missing, unknown, or started twice', async () => {
    const refused = async (path: string, body: unknown) => {
      const { status, value } = await ask('POST', path, body)
      return [status, value.message]
    }
    const make = `/containers/${container}/exec`
    expect(await refused(make, {})).toEqual([400, 'No exec command specified'])
    expect(await refused(make, { Cmd: ['a'], DetachKeys: 'xx' })).toEqual([400, 'Invalid escape keys (xx) provided'])
    expect(await refused(make, { Cmd: ['a'], Env: ['=x'] })).toEqual([400, 'invalid environment variable: =x'])
    expect(await refused('/containers/nobody/exec', { Cmd: ['a'] })).toEqual([404, 'No such container: nobody'])
    expect(await refused('/exec/nobody/start', {})).toEqual([404, 'No such exec instance: nobody'])
    const id = await create({ Cmd: ['true'] })
    await ask('POST', `/exec/${id}/start`, { Detach: true })
    await expect.poll(async () => (await inspect(id)).ExitCode).toBe(0)
    expect(await refused(`/exec/${id}/start`, {})).toEqual([409, `Error: Exec command ${id} has already run`])
    expect((await refused(`/exec/${id}/resize?h=1&w=1`, undefined))[0]).toBe(409)
  })

  it('is listed on its container until it ends, kept within bounds, and gone with the container', async () => {
    const other = await engine.create()
    await engine.run(other, 'exec sleep 60')
    const id = await create({ Cmd: ['true'] }, other)
    expect(engine.streaming.execs.idsOf(other)).toEqual([id])
    for (let n = 0; n < maxExecsPerContainer; n++) engine.streaming.execs.create(other, { Cmd: ['true'] } as never)
    expect(engine.streaming.execs.idsOf(other)).toHaveLength(maxExecsPerContainer)
    expect((await ask('GET', `/exec/${id}/json`)).status).toBe(404)
    engine.events.emit('container', 'destroy', other)
    expect(engine.streaming.execs.idsOf(other)).toEqual([])
  })
})

// Execs and attached clients of a whole engine: what travels on their connections, and when.
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Hijacked } from '../../streams/testing/hijacked.ts'
import { type PastEvent, pastEvents } from '../../testing/past-events.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
beforeAll(async () => {
  engine = await startWholeEngine()
  await engine.run('1.47', 'talker', { Cmd: ['sh', '-c', 'echo said; exec sleep 3600'] })
})
afterAll(() => engine?.stop())

const rounds = 20
const prepare = async (settings: object): Promise<string> => {
  const asked = { AttachStdout: true, AttachStderr: true, ...settings }
  return (await engine.call('POST', '/containers/talker/exec', asked)).body.Id
}

/** How many bytes came together with the head of the answer. */
async function bytesBesideHead(path: string, body?: object): Promise<number> {
  const socket = connect({ path: engine.socketPath })
  const first = new Promise<Buffer>((resolve) => socket.once('data', resolve))
  const client = await Hijacked.open(socket, path, { body })
  const chunk = await first
  await client.until(() => client.body.length > 0)
  socket.destroy()
  return chunk.length - (chunk.indexOf('\r\n\r\n') + 4)
}

describe('the head of an answer', () => {
  // A client that is kept waiting by its machine finds both at once: the bound is a generous one.
  it('comes before the output of a command that is run', async () => {
    const together: number[] = []
    for (let round = 0; round < rounds; round++) {
      const id = await prepare({ Cmd: ['echo', 'hi'] })
      together.push(await bytesBesideHead(`/exec/${id}/start`, { Detach: false, Tty: false }))
    }
    expect(together.filter((bytes) => bytes > 0).length).toBeLessThan(rounds / 2)
  })
})

describe('an exec', () => {
  const both = { AttachStdout: true, AttachStderr: true }
  const sh = (script: string) => ['sh', '-c', script]
  const create = (body: object, version = '1.47', container = 'talker') =>
    engine.call('POST', `/v${version}/containers/${container}/exec`, { ...both, ...body })
  const open = (id: string, body: object, version = '1.47') =>
    Hijacked.open(connect({ path: engine.socketPath }), `/v${version}/exec/${id}/start`, { body })
  const inspect = async (id: string, version = '1.47') =>
    (await engine.call('GET', `/v${version}/exec/${id}/json`)).body
  const said = async (settings: object, version?: string) => {
    const client = await open((await create(settings, version)).body.Id, { Detach: false }, version)
    await client.ended()
    return client.output(1)
  }
  const about = async (id: string, version?: string): Promise<PastEvent[]> =>
    (await pastEvents(engine, version)).filter(({ Actor }) => Actor.Attributes.execID === id)

  it('ENG-345 ENG-350 ENG-356 ENG-650 runs to its end in frames, and tells its process and how it ended', async () => {
    for (const [version, type] of [
      ['1.47', 'multiplexed'],
      ['1.42', 'multiplexed'],
      ['1.41', 'raw'],
    ] as const) {
      const created = await create({ Cmd: sh('echo out; echo err >&2; exit 3') }, version)
      expect(created).toMatchObject({ status: 201, body: { Warnings: expect.anything() } })
      const { Id } = created.body
      const client = await open(Id, { Detach: false }, version)
      expect(client.head).toContain(`content-type: application/vnd.docker.${type}-stream`)
      await client.ended()
      expect([client.output(1), client.output(2)]).toEqual(['out\n', 'err\n'])
      expect(await inspect(Id)).toMatchObject({ Running: false, ExitCode: 3 })
      expect((await inspect(Id, '1.25')).Pid).toBeGreaterThan(1)
      expect(await inspect(Id, '1.24')).not.toHaveProperty('Pid')
      expect((await about(Id)).at(-1)).toMatchObject({
        ...{ Action: 'exec_die', Actor: { Attributes: { exitCode: '3', execID: Id } } },
      })
      expect((await about(Id, '1.36')).map(({ Action }) => Action)).toContain('exec_die')
      expect((await about(Id, '1.35')).map(({ Action }) => Action)).not.toContain('exec_die')
    }
  })

  it('ENG-346 ENG-347 has a terminal with plain bytes, of the size asked for from 1.42 on', async () => {
    const sizes: string[] = []
    for (const version of ['1.41', '1.42', '1.47']) {
      const { Id } = (await create({ Tty: true, ConsoleSize: [33, 99], Cmd: sh('stty size') }, version)).body
      const client = await open(Id, { Tty: true }, version)
      expect(client.head).toContain('content-type: application/vnd.docker.raw-stream')
      await client.ended()
      sizes.push(client.text.trim())
    }
    // Of a terminal without a size there is nothing to say.
    expect(sizes).toEqual(['stty: standard input', '33 99', '33 99'])
  })

  it('ENG-348 ENG-349 runs with variables from 1.25 on, and in a folder from 1.35 on', async () => {
    const asked = { Cmd: sh('pwd; echo $COLOUR'), Env: ['COLOUR=red'], WorkingDir: '/tmp' }
    const answers = ['1.24', '1.25', '1.34', '1.35', '1.47'].map((version) => said(asked, version))
    expect(await Promise.all(answers)).toEqual(['/\n\n', '/\nred\n', '/\nred\n', '/tmp\nred\n', '/tmp\nred\n'])
  })

  it('ENG-351 ENG-352 needs no container in its bodies, and passes over one', async () => {
    for (const version of ['1.24', '1.47']) {
      for (const named of [{}, { Container: 'other' }]) {
        const { body } = await create({ Cmd: ['true'], ...named }, version)
        const client = await open(body.Id, { Detach: false, ...named }, version)
        await client.ended()
        expect(await inspect(body.Id)).toMatchObject({
          ExitCode: 0,
          ContainerID: expect.stringMatching(/^[0-9a-f]{64}$/),
        })
      }
    }
  })

  it('ENG-353 ENG-354 is refused with 409 while its container is paused or stopped', async () => {
    const container = await engine.run('1.47', 'resting')
    const made = await Promise.all([1, 2].map(() => create({ Cmd: ['true'] }, '1.47', 'resting')))
    const refused = async (version: string) => {
      const statuses = made.map(({ body }) => engine.call('POST', `/v${version}/exec/${body.Id}/start`, {}))
      return (await Promise.all(statuses)).map(({ status }) => status)
    }
    await engine.call('POST', '/containers/resting/pause')
    for (const version of ['1.21', '1.47']) expect(await refused(version)).toEqual([409, 409])
    await engine.call('POST', '/containers/resting/unpause')
    await engine.call('POST', '/containers/resting/kill')
    for (const version of ['1.21', '1.47']) expect(await refused(version)).toEqual([409, 409])
    const { body } = await engine.call('POST', `/exec/${made[0]?.body.Id}/start`, {})
    expect(body.message).toBe(`Container ${container} is not running`)
  })

  it('ENG-355 tells the networks of its container from 1.21 on', async () => {
    const { Id } = (await create({ Cmd: ['true'] })).body
    const { Networks } = (await engine.call('GET', '/containers/talker/json')).body.NetworkSettings
    expect(Networks).toMatchObject((await inspect(Id)).NetworkSettings.Networks)
    expect(Networks.bridge.IPAddress).toMatch(/^172\.17\./)
    expect((await inspect(Id, '1.21')).NetworkSettings.Networks.bridge.IPAddress).toBe(Networks.bridge.IPAddress)
    expect((await inspect(Id, '1.20')).NetworkSettings ?? {}).not.toHaveProperty('Networks')
  })

  it('ENG-673 lets a client leave by its keys while the process goes on, and tells of it from 1.24 on', async () => {
    const asked = { AttachStdin: true, Tty: true, DetachKeys: 'ctrl-x', Cmd: sh('echo up; read x') }
    const { Id } = (await create(asked)).body
    const client = await open(Id, { Tty: true })
    await client.until(() => client.text.includes('up'))
    client.socket.write('\x18')
    await client.ended()
    expect(await inspect(Id)).toMatchObject({ Running: true, DetachKeys: 'ctrl-x' })
    const actions = async (version: string) => (await about(Id, version)).map(({ Action }) => Action)
    expect((await actions('1.47')).at(-1)).toBe('exec_detach')
    expect(await actions('1.24')).toContain('exec_detach')
    expect(await actions('1.23')).not.toContain('exec_detach')
  })
})

describe('who starts an exec', () => {
  const start = async (settings: object, Tty: boolean) => {
    const path = `/exec/${await prepare(settings)}/start`
    const client = await Hijacked.open(connect({ path: engine.socketPath }), path, { body: { Tty } })
    await client.ended()
    return client
  }

  it('has the output of a terminal in frames by Tty: false, and as it is by Tty: true', async () => {
    const terminal = { Tty: true, Cmd: ['sh', '-c', 'test -t 1 && echo terminal'] }
    const framed = await start(terminal, false)
    expect(framed.head).toContain('application/vnd.docker.multiplexed-stream')
    expect(framed.output(1)).toBe('terminal\r\n')
    const plain = await start(terminal, true)
    expect(plain.head).toContain('application/vnd.docker.raw-stream')
    expect(plain.text).toBe('terminal\r\n')
  })

  it('has the output of pipes as it is by Tty: true', async () => {
    const client = await start({ Cmd: ['sh', '-c', 'echo out; echo err >&2'] }, true)
    expect(client.text).toBe('out\n')
  })

  it('is told of a command that is not there in the stream, and by its exit code', async () => {
    const id = await prepare({ Cmd: ['no-such-program'] })
    const client = await Hijacked.open(connect({ path: engine.socketPath }), `/exec/${id}/start`, { body: {} })
    await client.ended()
    expect(client.output(1)).toContain('executable file not found in $PATH')
    expect((await engine.call('GET', `/exec/${id}/json`)).body).toMatchObject({ Running: false, ExitCode: 127 })
  })
})

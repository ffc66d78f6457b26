// Attaching to containers of a whole engine, their logs and their figures.
import { once } from 'node:events'
import { connect } from 'node:net'
import { availableParallelism } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { pastEvents } from '../testing/past-events.ts'
import { startWholeEngine, type WholeEngine } from '../testing/start-whole-engine.ts'
import { Hijacked } from './testing/hijacked.ts'

let engine: WholeEngine
beforeAll(async () => {
  engine = await startWholeEngine()
})
afterAll(() => engine?.stop())

const sh = (script: string) => ['sh', '-c', script]
const all = 'stream=1&stdin=1&stdout=1&stderr=1'
const framed = 'content-type: application/vnd.docker.multiplexed-stream'
const raw = 'content-type: application/vnd.docker.raw-stream'
const dial = () => connect({ path: engine.socketPath })

async function create(script: string, settings: object = {}): Promise<string> {
  const asked = { Image: 'busybox', Cmd: sh(script), StopTimeout: 0, ...settings }
  const { status, body } = await engine.call('POST', '/containers/create', asked)
  expect(status).toBe(201)
  return body.Id
}
const start = async (id: string) => expect((await engine.call('POST', `/containers/${id}/start`)).status).toBe(204)
const attach = (id: string, query: string, version = '1.47', isUpgrade = true) =>
  Hijacked.open(dial(), `/v${version}/containers/${id}/attach?${query}`, { isUpgrade })
const actions = async (id: string, version?: string): Promise<string[]> =>
  (await pastEvents(engine, version)).filter(({ Actor }) => Actor.ID === id).map(({ Action }) => Action)

describe('an attached client', () => {
  it('ENG-324 has everything in frames without a terminal, and is told so from 1.42 on', async () => {
    for (const [version, type, isUpgrade] of [
      ['1.47', framed, true],
      ['1.42', framed, false],
      ['1.41', raw, true],
    ] as const) {
      const id = await create('echo first; echo second >&2; cat', { OpenStdin: true, StdinOnce: true })
      const client = await attach(id, all, version, isUpgrade)
      expect(client.head).toContain(type)
      await start(id)
      client.socket.end('typed\n')
      await client.ended()
      expect([client.output(1), client.output(2)]).toEqual(['first\ntyped\n', 'second\n'])
    }
  })

  it('ENG-325 ENG-672 has plain bytes with a terminal, and leaves by its keys while the process goes on', async () => {
    const id = await create('echo ready; while read x; do echo "got $x"; done', { OpenStdin: true, Tty: true })
    const client = await attach(id, all)
    expect(client.head).toContain(raw)
    await start(id)
    await client.until(() => client.text.includes('ready\r\n'))
    client.socket.write('one\n')
    await client.until(() => client.text.includes('got one'))
    client.socket.write('\x10\x11')
    await client.ended()
    expect((await engine.call('GET', `/containers/${id}/json`)).body.State.Running).toBe(true)
    expect(await actions(id)).toEqual(['create', 'attach', 'start', 'detach'])
    expect(await actions(id, '1.24')).toContain('detach')
    expect(await actions(id, '1.23')).not.toContain('detach')
    await engine.call('DELETE', `/containers/${id}?force=1`)
  })
})

describe('a WebSocket', () => {
  async function socketOf(id: string, query: string, version = '1.47') {
    const socket = new WebSocket(`ws+unix:${engine.socketPath}:/v${version}/containers/${id}/attach/ws?${query}`)
    const messages: { text: string; isBinary: boolean }[] = []
    socket.on('message', (data, isBinary) => messages.push({ text: String(data), isBinary }))
    await once(socket, 'open')
    return { socket, messages, text: () => messages.map(({ text }) => text).join('') }
  }

  it('ENG-326 ENG-327 ENG-328 is attached to the one stream that it asks for, from 1.42 on', async () => {
    const id = await create('read x; echo "out $x"; echo err >&2', { OpenStdin: true, StdinOnce: true })
    for (const version of ['1.42', '1.47']) {
      const ask = (stream: string) => socketOf(id, `stream=1&${stream}=1`, version)
      const [input, out, err] = await Promise.all([ask('stdin'), ask('stdout'), ask('stderr')])
      const closed = Promise.all([input, out, err].map(({ socket }) => once(socket, 'close')))
      await start(id)
      out.socket.send('unheard\n')
      input.socket.send('typed\n')
      await closed
      await engine.call('POST', `/containers/${id}/wait`)
      expect([input.text(), out.text(), err.text()]).toEqual(['', 'out typed\n', 'err\n'])
    }
  })

  it('ENG-329 ENG-330 ENG-331 ENG-332 has all streams before 1.42 whatever it asks for, and text messages before 1.28', async () => {
    const id = await create('read x; echo "out $x"; echo err >&2', { OpenStdin: true, StdinOnce: true })
    for (const [version, query, isBinary] of [
      ['1.47', all, true],
      ['1.41', 'stream=1&stdout=1', true],
      ['1.28', 'stream=1', true],
      ['1.27', 'stream=1&stderr=1', false],
      ['1.18', 'stream=1', false],
    ] as const) {
      const client = await socketOf(id, query, version)
      const closed = once(client.socket, 'close')
      await start(id)
      client.socket.send('typed\n')
      await closed
      await engine.call('POST', `/containers/${id}/wait`)
      expect(client.text().split('\n').sort(), version).toEqual(['', 'err', 'out typed'])
      expect(client.messages.map((message) => message.isBinary)).toEqual(client.messages.map(() => isBinary))
    }
  })
})

describe('logs', () => {
  const read = async (id: string, query: string, version = '1.47') => {
    const answer = await engine.client.open('GET', `/v${version}/containers/${id}/logs?${query}`)
    const client = Buffer.concat(await answer.toArray())
    return { status: answer.statusCode, type: answer.headers['content-type'], bytes: client }
  }
  const finished = async (script: string, settings: object = {}) => {
    const id = await create(script, settings)
    await start(id)
    expect((await engine.call('POST', `/containers/${id}/wait`)).body.StatusCode).toBe(0)
    return id
  }
  /** Lines of all frames. */
  const said = ({ bytes }: { bytes: Buffer }): string[] => {
    const client = new Hijacked(dial())
    client.socket.destroy()
    client.body = Buffer.from(bytes)
    return client.frames.flatMap(({ text }) => text.split('\n').filter(Boolean))
  }

  it('ENG-319 ENG-320 are in frames without a terminal and plain with one, and say which from 1.42 on', async () => {
    const id = await finished('echo out; echo err >&2')
    const plain = await finished('echo out', { Tty: true })
    for (const [version, type] of [
      ['1.47', framed],
      ['1.42', framed],
      ['1.41', raw],
    ] as const) {
      const answer = await read(id, 'stdout=1&stderr=1', version)
      expect(`content-type: ${answer.type}`).toBe(type)
      const frames = ['\x01\0\0\0\0\0\0\x04out\n', '\x02\0\0\0\0\0\0\x04err\n']
      expect([frames.join(''), frames.reverse().join('')]).toContain(answer.bytes.toString('latin1'))
      const terminal = await read(plain, 'stdout=1', version)
      expect([`content-type: ${terminal.type}`, terminal.bytes.toString()]).toEqual([raw, 'out\r\n'])
    }
  })

  it('ENG-321 ENG-323 begin at a time from 1.19 on, and end at one from 1.35 on', async () => {
    const id = await finished('echo one; usleep 20000; echo two; usleep 20000; echo three')
    const times = said(await read(id, 'stdout=1&timestamps=1')).map((line) => line.slice(0, 30))
    const [, second] = times
    const exact = `${Date.parse(`${second?.slice(0, 19)}Z`) / 1000}.${second?.slice(20, 29)}`
    const lines = async (query: string, version?: string) => said(await read(id, `stdout=1&${query}`, version))
    for (const version of ['1.19', '1.47']) expect(await lines(`since=${exact}`, version)).toEqual(['two', 'three'])
    expect(await lines(`since=${exact}`, '1.18')).toEqual(['one', 'two', 'three'])
    for (const version of ['1.35', '1.47']) expect(await lines(`until=${exact}`, version)).toEqual(['one', 'two'])
    expect(await lines(`until=${exact}`, '1.34')).toEqual(['one', 'two', 'three'])
    expect(await lines(`since=${second}&until=${exact}`)).toEqual(['two'])
    expect((await read(id, 'stdout=1&since=yesterday')).status).toBe(400)
  })

  it('ENG-322 have the details of the log options before lines from 1.23 on', async () => {
    const LogConfig = { Type: 'json-file', Config: { labels: 'app', 'env-regex': '^L' } }
    const settings = { Labels: { app: 'a b', other: 'x' }, Env: ['LANG=C', 'OS=1'], HostConfig: { LogConfig } }
    const id = await finished('echo hello', settings)
    for (const version of ['1.23', '1.47']) {
      expect(said(await read(id, 'stdout=1&details=1', version))).toEqual(['LANG=C,app=a+b hello'])
    }
    expect(said(await read(id, 'stdout=1&details=1', '1.22'))).toEqual(['hello'])
  })
})

describe('the figures of a container', () => {
  const look = async (id: string, query: string, version = '1.47') =>
    (await engine.call('GET', `/v${version}/containers/${id}/stats?${query}`)).body

  it('ENG-333 ENG-334 ENG-335 ENG-336 ENG-337 ENG-338 ENG-339 come once or for ever, at once or compared, as the version has them', async () => {
    const id = await engine.run('1.47', 'busy', { Cmd: sh('while :; do :; done') })
    const shot = await look(id, 'stream=false&one-shot=true')
    // One look: there was none before it that it waited for.
    expect(shot).toMatchObject({ id, name: '/busy', preread: '0001-01-01T00:00:00Z' })
    expect(shot.precpu_stats.system_cpu_usage).toBeUndefined()
    const [compared, asBefore, oldest, stream] = await Promise.all([
      look(id, 'stream=0'),
      look(id, 'stream=0&one-shot=1', '1.40'),
      look(id, 'stream=false', '1.20'),
      engine.client.open('GET', `/v1.18/containers/${id}/stats?stream=0`),
    ])
    const { cpu_stats: now, precpu_stats: before } = compared
    expect(now.cpu_usage.total_usage).toBeGreaterThan(before.cpu_usage.total_usage)
    expect(asBefore.precpu_stats.system_cpu_usage).toBeGreaterThan(0)
    expect(now.online_cpus).toBe(availableParallelism())
    // Older callers count what each has used; control groups of version 2 do not tell it.
    const { CgroupVersion } = (await engine.call('GET', '/info')).body
    expect(oldest.cpu_stats.cpu_usage.percpu_usage?.length).toBe(CgroupVersion === '1' ? now.online_cpus : undefined)
    expect(compared.pids_stats.current).toBe(1)
    expect(Object.keys(compared.networks)).toEqual(['eth0'])
    expect(oldest).toMatchObject({ network: { rx_bytes: expect.any(Number) } })
    for (const missing of ['networks', 'pids_stats']) expect(oldest).not.toHaveProperty(missing)
    expect(oldest.cpu_stats).not.toHaveProperty('online_cpus')
    // Before 1.19 it was always a stream: it goes on.
    await once(stream, 'data')
    await once(stream, 'data')
    stream.destroy()
    const at = async (version: string) => {
      const stats = await look(id, 'stream=false&one-shot=1', version)
      return [stats.cpu_stats.online_cpus, stats.pids_stats, stats.networks].map((value) => value !== undefined)
    }
    const boundaries = await Promise.all(['1.27', '1.26', '1.23', '1.22', '1.21'].map(at))
    expect(boundaries).toEqual([
      ...[
        [true, true, true],
        [false, true, true],
        [false, true, true],
        [false, false, true],
        [false, false, true],
      ],
    ])
    await engine.call('DELETE', `/containers/${id}?force=1`)
  })
})

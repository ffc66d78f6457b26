import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { parseDetachKeys } from '../../../streams/detach-keys.ts'
import { Hijacked } from '../../../streams/testing/hijacked.ts'
import { type StreamingEngine, startStreamingEngine } from '../../../streams/testing/streaming-engine.ts'

let engine: StreamingEngine
beforeAll(async () => {
  engine = await startStreamingEngine()
})
afterAll(() => engine.close())

const attach = (id: string, query: string, options: Parameters<typeof Hijacked.open>[2] & { version?: string } = {}) =>
  Hijacked.open(engine.dial(), `${options.version ?? ''}/containers/${id}/attach?${query}`, options)
const all = 'stream=1&stdin=1&stdout=1&stderr=1'
const actions = (id: string) => engine.actions(id).map(({ Action }) => Action)

describe('POST /containers/:id/attach', () => {
  for (const [how, isUpgrade, status] of [
    ['with Upgrade', true, '101'],
    ['without Upgrade', false, '200'],
  ] as const) {
    it(`waits for the start, then gives everything in frames, ${how}`, async () => {
      const id = await engine.create({ OpenStdin: true, StdinOnce: true })
      const client = await attach(id, all, { isUpgrade })
      expect(client.head).toContain(`HTTP/1.1 ${status} `)
      expect(client.head).toContain('content-type: application/vnd.docker.multiplexed-stream')
      const container = await engine.run(id, 'echo first; echo second >&2; cat')
      client.socket.end('typed\n')
      await client.ended()
      expect(client.output(1)).toBe('first\ntyped\n')
      expect(client.output(2)).toBe('second\n')
      await container.exited
      expect(actions(id)).toEqual(['attach', 'start', 'die'])
      expect(engine.streaming.attachments.clientsOf(id)).toBe(0)
    })
  }

  it('gives plain bytes with a terminal, and leaves by the detach keys while the process goes on', async () => {
    const id = await engine.create({ OpenStdin: true, StdinOnce: true, Tty: true })
    const client = await attach(id, all)
    expect(client.head).toContain('content-type: application/vnd.docker.raw-stream')
    const container = await engine.run(id, 'echo ready; while read x; do echo "got $x"; done')
    await client.until(() => client.text.includes('ready\r\n'))
    client.socket.write('one\n\x10x')
    await client.until(() => client.text.includes('got one'))
    client.socket.write('\n\x10')
    client.socket.write('\x11')
    await client.ended()
    expect(actions(id)).toEqual(['attach', 'start', 'detach'])
    // What was held back as a possible key went on its way when it was none.
    const again = await attach(id, `${all}&detachKeys=a,ctrl-b`)
    again.socket.write('\x10\x11two\n')
    await again.until(() => again.text.includes('two\r\n'))
    again.socket.write('a\x02')
    await again.ended()
    expect(actions(id).filter((action) => action === 'detach')).toHaveLength(2)
    await container.kill()
  })

  it('serves the odd spelling with GET', async () => {
    const id = await engine.create()
    const client = await attach(id, 'stream=1&stdout=1', { method: 'GET' })
    await engine.run(id, 'echo hi')
    await client.ended()
    expect(client.output(1)).toBe('hi\n')
  })

  it('gives only the streams that are asked for', async () => {
    const id = await engine.create()
    const [out, err, none] = await Promise.all(
      ['stdout=1', 'stderr=1', 'stdin=1'].map((q) => attach(id, `stream=1&${q}`)),
    )
    await engine.run(id, 'echo out; echo err >&2')
    await Promise.all([out?.ended(), err?.ended(), none?.ended()])
    expect(out?.frames.map(({ stream }) => stream)).toEqual([1])
    expect(err?.output(2)).toBe('err\n')
    expect(none?.text).toBe('')
  })

  it('keeps giving output to a client that has closed its sending side', async () => {
    const id = await engine.create({ OpenStdin: true })
    const container = await engine.run(id, 'echo up; read x; echo "after $x"')
    const client = await attach(id, 'stream=1&stdout=1&stderr=1&logs=1')
    client.socket.end()
    await client.until(() => client.text.includes('up'))
    await container.write('that\n')
    await client.ended()
    expect(client.output(1)).toBe('up\nafter that\n')
  })

  it('gives what was said before with logs, once, and ends there without stream', async () => {
    const id = await engine.create({ OpenStdin: true })
    const container = await engine.run(id, 'echo one; echo two >&2; read x; echo three')
    await expect.poll(() => engine.kit.log(id).length).toBe(2)
    const past = await attach(id, 'logs=1&stdout=1&stderr=1')
    await past.ended()
    expect(past.output(1)).toBe('one\n')
    expect(past.output(2)).toBe('two\n')
    const both = await attach(id, 'logs=1&stream=1&stdout=1')
    await both.until(() => both.output(1) === 'one\n')
    await container.write('\n')
    await both.ended()
    expect(both.output(1)).toBe('one\nthree\n')
  })

  it('joins what was said and what is being said: no line is lost or comes twice', async () => {
    const id = await engine.create({ OpenStdin: true })
    const block = 'while [ $i -lt $((block * 1000)) ]; do echo line $i; i=$((i+1)); done; read x'
    const script = `i=0; for block in 1 2 3 4; do ${block}; done; printf half; read x; echo " rest"`
    const container = await engine.run(id, script)
    const clients = [await attach(id, 'logs=1&stream=1&stdout=1')]
    for (let said = 1_000; said <= 4_000; said += 1_000) {
      while (engine.kit.log(id).length < said) clients.push(await attach(id, 'logs=1&stream=1&stdout=1'))
      await container.write('\n')
      clients.push(await attach(id, 'logs=1&stream=1&stdout=1'))
    }
    // The beginning of a line is in no log yet.
    clients.push(await attach(id, 'logs=1&stream=1&stdout=1'))
    await container.write('\n')
    const whole = `${Array.from({ length: 4_000 }, (_, n) => `line ${n}\n`).join('')}half rest\n`
    for (const client of clients) {
      await client.ended()
      expect(client.output(1) === whole).toBe(true)
    }
  })

  it('joins the log of earlier runs to the run that begins while the log is still being sent', async () => {
    const id = await engine.create()
    const entry = (n: number) =>
      JSON.stringify({ log: `old ${n} ${'x'.repeat(500)}\n`, stream: 'stdout', time: '2026-01-01T00:00:00.000000000Z' })
    writeFileSync(engine.logPathOf(id), Array.from({ length: 5_000 }, (_, n) => `${entry(n)}\n`).join(''))
    const client = await attach(id, 'logs=1&stream=1&stdout=1')
    client.socket.pause()
    const container = await engine.run(id, 'echo new')
    await container.exited
    client.socket.resume()
    await client.ended()
    const lines = client.output(1).split('\n')
    expect(lines).toHaveLength(5_002)
    expect(lines.slice(-2)).toEqual(['new', ''])
  })

  it('leaves by the keys that the start names, unless the client named its own', async () => {
    const id = await engine.create({ OpenStdin: true, Tty: true })
    const [plain, own] = [await attach(id, all), await attach(id, `${all}&detachKeys=ctrl-b`)]
    const container = await engine.run(id, 'echo ready; exec sleep 60', parseDetachKeys('ctrl-x'))
    await Promise.all([plain, own].map((client) => client.until(() => client.text.includes('ready'))))
    plain.socket.write('\x18')
    await plain.ended()
    own.socket.write('\x02')
    await own.ended()
    expect(actions(id).filter((action) => action === 'detach')).toHaveLength(2)
    await container.kill()
  })

  it('passes much through with back-pressure', async () => {
    const id = await engine.create()
    const client = await attach(id, 'stream=1&stdout=1')
    let bytes = 0
    // Counted only: nothing is to be kept of it here.
    client.socket.removeAllListeners('data')
    client.socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    const before = process.memoryUsage().rss
    const container = await engine.run(id, 'yes 0123456789abcdef0123456789abcdef | head -c 40000000')
    client.socket.pause()
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000)
    client.socket.resume()
    await once(client.socket, 'end')
    client.socket.destroy()
    expect(bytes).toBeGreaterThan(40_000_000)
    await container.exited
  })

  it('lets go of everything when a client leaves, also one that waits', async () => {
    const id = await engine.create({ OpenStdin: true })
    const waiting = await attach(id, all)
    expect(engine.streaming.attachments.clientsOf(id)).toBe(1)
    waiting.socket.destroy()
    await expect.poll(() => engine.streaming.attachments.clientsOf(id), { timeout: 10_000 }).toBe(0)
    const container = await engine.run(id, 'exec sleep 60')
    const client = await attach(id, all)
    client.socket.destroy()
    await expect.poll(() => engine.streaming.attachments.clientsOf(id), { timeout: 10_000 }).toBe(0)
    await container.kill()
  })

  it('ends the input that was for one client when that one leaves before the start', async () => {
    const id = await engine.create({ OpenStdin: true, StdinOnce: true })
    const client = await attach(id, all)
    client.socket.destroy()
    await expect.poll(() => engine.streaming.attachments.clientsOf(id), { timeout: 10_000 }).toBe(0)
    const container = await engine.run(id, 'cat; echo over')
    await container.exited
    expect(engine.kit.log(id).map(({ log }) => log)).toEqual(['over\n'])
  })

  it('lets those who wait go when the container is removed', async () => {
    const id = await engine.create()
    const client = await attach(id, 'stream=1&stdout=1')
    engine.events.emit('container', 'destroy', id)
    await client.ended()
  })

  it('refuses unknown and paused containers and bad keys, in words that clients know', async () => {
    const id = await engine.create()
    const refused = async (asked: string, query: string) => {
      const { status, body } = await engine.ask('POST', `/containers/${asked}/attach?${query}`)
      return [status, JSON.parse(body.toString()).message]
    }
    expect(await refused('nobody', all)).toEqual([404, 'No such container: nobody'])
    expect(await refused(id, `${all}&detachKeys=ctrl-pq`)).toEqual([400, 'Invalid detach keys (ctrl-pq) provided'])
    engine.setStatus(id, 'paused')
    expect(await refused(id, all)).toEqual([409, `Container ${id} is paused. Unpause the container before attach`])
    engine.setStatus(id, 'restarting')
    expect((await refused(id, all))[0]).toBe(409)
  })
})

describe('detach keys', () => {
  it('are single characters and control keys', () => {
    expect(parseDetachKeys(undefined)).toEqual([16, 17])
    expect(parseDetachKeys('a,ctrl-z,ctrl-@,ctrl-[,ctrl-^,ctrl-_')).toEqual([97, 26, 0, 27, 30, 31])
    expect(parseDetachKeys('ctrl-,,b')).toEqual([12, 98])
    for (const bad of ['ctrl-', 'ctrl-1', 'ab', 'a,,b', 'ctrl-A']) expect(parseDetachKeys(bad), bad).toBeUndefined()
  })
})

describe('GET /containers/:id/attach/ws', () => {
  it('refuses before it upgrades', async () => {
    const socket = new WebSocket(`ws+unix:${engine.socketPath}:/containers/nobody/attach/ws?${all}`)
    socket.on('error', () => {})
    const [, response] = await once(socket, 'unexpected-response')
    expect(response.statusCode).toBe(404)
    socket.terminate()
  })
})

import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { hijack, json } from '../reply.ts'
import { selfSignedCertificate } from '../server/self-signed.ts'
import { asUser, defineRoute, type Sample, startSample } from '../testing/sample-service.ts'
import { TextSocket } from '../testing/text-socket.ts'

const attach = defineRoute({
  method: 'POST',
  path: '/containers/:id/attach',
  auth: 'user',
  summary: 'Take the connection: say what came by HTTP, then echo until the client ends its side, then say goodbye',
  params: z.object({ id: z.string() }),
  query: z.object({ stream: z.string().optional() }),
  body: z.strictObject({ Tty: z.boolean().optional(), Detach: z.boolean().optional() }),
  response: 'raw',
  handler: ({ params, body, query }) => {
    if (body.Detach) return json(200, { detached: true })
    return hijack(
      (connection) => {
        connection.write(`hello ${params.id} ${JSON.stringify({ ...body, ...query })};`)
        connection.on('data', (chunk) => connection.write(chunk))
        connection.on('end', () => setTimeout(() => connection.end(';goodbye'), 10))
      },
      { 'content-type': 'application/vnd.raw-stream' },
    )
  },
})

const session = defineRoute({
  method: 'POST',
  path: '/session',
  auth: 'user',
  summary: 'Take the connection without reading a body, and echo',
  response: 'raw',
  handler: () =>
    hijack((connection) => {
      connection.write('hello;')
      connection.on('data', (chunk) => connection.write(chunk))
      connection.on('end', () => connection.end(';goodbye'))
    }),
})

let folder: string
let tcp: Sample
let unix: Sample
let tls: Sample
let certificate: { cert: string; key: string }
// `allowHalfOpen` is taken from net's options.
const tlsOptions = () => {
  const options = { host: '127.0.0.1', port: tls.listener.port ?? 0, ca: certificate.cert, allowHalfOpen: true }
  return options
}
const dial = {
  TCP: () => TextSocket.tcp(tcp.listener.port),
  'a unix socket': () => new TextSocket(connect({ path: join(folder, 'http.sock'), allowHalfOpen: true })),
  TLS: () => new TextSocket(connectTls(tlsOptions())),
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atoll-hijack-'))
  certificate = await selfSignedCertificate(folder)
  const routes = [attach]
  tcp = await startSample({ routes })
  unix = await startSample({ routes, options: { address: { socketPath: join(folder, 'http.sock') } } })
  tls = await startSample({ routes, options: { tls: certificate } })
})
afterAll(async () => {
  await Promise.all([tcp.stop(), unix.stop(), tls.stop()])
  await rm(folder, { recursive: true, force: true })
})

const upgrade = 'Connection: Upgrade\r\nUpgrade: tcp\r\n'
const head = (extra: string, auth: string = asUser.authorization) =>
  `POST /containers/c1/attach?stream=1 HTTP/1.1\r\nHost: x\r\nAuthorization: ${auth}\r\n${extra}\r\n`
const withBody = (body: string, extra = '') =>
  `${head(`${extra}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`)}${body}`

for (const [name, open] of Object.entries(dial)) {
  for (const [how, extra, status] of [
    ['with Upgrade', upgrade, '101 Switching Protocols'],
    ['without Upgrade', '', '200 OK'],
  ] as const) {
    describe(`a raw route over ${name} ${how}`, () => {
      it('takes a JSON body, then the connection both ways, and lets the client end its side first', async () => {
        const socket = open()
        socket.write(withBody('{"Tty":true}', extra))
        const start = await socket.until(';')
        expect(start).toContain(`HTTP/1.1 ${status}\r\n`)
        expect(start).toMatch(/x-request-id: req_[0-9a-f]{32}\r\n/)
        expect(start).toContain('x-caller: ada\r\n')
        expect(start).toContain('content-type: application/vnd.raw-stream\r\n')
        expect(start.toLowerCase().includes('upgrade: tcp')).toBe(extra !== '')
        expect(start).toMatch(/\r\n\r\nhello c1 \{"Tty":true,"stream":"1"\};$/)
        socket.write('ping')
        await socket.until('ping')
        socket.socket.end('last words')
        expect(await socket.rest()).toBe('last words;goodbye')
      })

      it('loses no byte that is sent before the answer, even one that looks like HTTP', async () => {
        const early = 'GET / HTTP/1.1\r\n\r\n'
        const socket = open()
        socket.socket.end(withBody('{}', extra) + early)
        const text = await socket.rest()
        expect(text).toContain(`HTTP/1.1 ${status}`)
        expect(text.slice(text.indexOf('hello'))).toBe(`hello c1 {"stream":"1"};${early};goodbye`)
      })

      it('takes a chunked body that arrives byte by byte', async () => {
        const socket = open()
        socket.socket.setNoDelay(true)
        const request = `${head(`${extra}Transfer-Encoding: chunked\r\n`)}6;x=y\r\n{"Tty"\r\n7\r\n:false}\r\n0\r\nA: b\r\n\r\nearly`
        for (const byte of request) await socket.write(byte)
        await socket.until('hello c1 {"Tty":false,"stream":"1"};early')
        socket.socket.end()
        expect(await socket.rest()).toBe(';goodbye')
      })

      it('answers refusals, bad bodies and plain replies as ordinary HTTP', async () => {
        const ask = async (text: string) => {
          const socket = open()
          socket.write(text)
          return socket.rest()
        }
        const refused = await ask(`${head(`${extra}Content-Length: 2\r\n`, 'none')}{}`)
        expect(refused).toMatch(/^HTTP\/1.1 401 /)
        expect(refused).toMatch(/x-request-id: req_[0-9a-f]{32}\r\n/i)
        expect(refused).toContain('"code":"no_key"')
        expect(await ask(withBody('{"Tty":5}', extra))).toContain('"param":"Tty"')
        expect(await ask(withBody('{"Tty":', extra))).toContain('"code":"invalid_json"')
        expect(await ask(withBody(`{"a":"${'x'.repeat(20_000)}"}`, extra))).toContain('"code":"body_too_large"')
        const bad = `${head(`${extra}Transfer-Encoding: chunked\r\n`)}zz\r\n`
        expect(await ask(bad)).toContain('"code":"bad_request"')
        const detached = await ask(withBody('{"Detach":true}', extra))
        expect(detached).toMatch(/^HTTP\/1.1 200 OK\r\n/)
        expect(detached).toContain('{"detached":true}')
      })
    })
  }
}

describe('a body that nobody asked for, before a connection is taken by a lenient service', () => {
  let lenient: Sample
  beforeAll(async () => {
    lenient = await startSample({ routes: [session], service: { isLenient: true } })
  })
  afterAll(() => lenient.stop())

  it.each([
    ['loses the end of a chunked body', 'Transfer-Encoding: chunked', '0\r\n\r\nearly', 'early'],
    ['keeps what a client sends that never ends its chunked body', 'Transfer-Encoding: chunked', 'early', 'early'],
    ['keeps even a single byte of it', 'Transfer-Encoding: chunked', '0', '0'],
    ['loses as many bytes as were announced', 'Content-Length: 2', '{}early', 'early'],
  ])('%s', async (_, framing, sent, kept) => {
    const socket = TextSocket.tcp(lenient.listener.port)
    const asked = `POST /session HTTP/1.1\r\nHost: x\r\nAuthorization: ${asUser.authorization}\r\n${upgrade}${framing}`
    socket.socket.end(`${asked}\r\n\r\n${sent}`)
    const text = await socket.rest()
    expect(text).toContain('HTTP/1.1 101')
    expect(text.slice(text.indexOf('hello'))).toBe(`hello;${kept};goodbye`)
  })
})

describe('a server with raw routes', () => {
  it('serves ordinary requests on the same connection before a raw one', async () => {
    const socket = dial.TCP()
    socket.write('GET /v1/things/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\n\r\n')
    await socket.until('{"id":"1","owner":"ada"}')
    socket.write(withBody('{}'))
    await socket.until('hello c1')
    socket.socket.end()
    expect(await socket.rest()).toContain('goodbye')
  })

  it('refuses a raw request behind one that is not answered yet', async () => {
    const socket = dial.TCP()
    socket.write(`GET /v1/things/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\n\r\n${withBody('{}')}`)
    const text = await socket.until('bad_request')
    expect(text).toContain('{"id":"1","owner":"ada"}')
    socket.socket.destroy()
  })

  it('treats an Upgrade on other routes as an ordinary request, and other methods on raw paths as not allowed', async () => {
    const socket = dial.TCP()
    socket.write(
      `GET /v1/things/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
    )
    await socket.until('{"id":"1","owner":"ada"}')
    socket.socket.destroy()
    const other = await fetch(`${tcp.url}/containers/c1/attach`, { headers: asUser })
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it('logs a taken connection once, when it closes', async () => {
    const before = tcp.log.lines.length
    const socket = dial.TCP()
    socket.write(withBody('{}', upgrade))
    await socket.until('hello')
    expect(tcp.log.lines.length).toBe(before)
    socket.socket.end()
    await socket.rest()
    await expect.poll(() => tcp.log.lines.slice(before).map(({ fields }) => fields.status)).toEqual([101])
  })

  it('cuts taken connections when the grace of a shutdown is over', async () => {
    const sample = await startSample({ routes: [attach] })
    const socket = TextSocket.tcp(sample.listener.port)
    socket.write(withBody('{}', upgrade))
    await socket.until('hello')
    const closed = once(socket.socket, 'end')
    await sample.stop()
    await closed
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asUser, type Sample, startSample } from '../testing/sample-service.ts'
import { TextSocket } from '../testing/text-socket.ts'

let sample: Sample
beforeAll(async () => {
  sample = await startSample()
})
afterAll(() => sample.stop())

const get = 'GET /v1/things/1 HTTP/1.1\r\nHost: x\r\n'
const post = 'POST /v1/chat HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\n'
const controls = [0, 1, 7, 8, 11, 12, 14, 27, 31, 127]

/** Requests that no server may take. */
const malformed: string[] = [
  '\0\0\0\0\r\n\r\n',
  'nonsense\r\n\r\n',
  'FOO / HTTP/1.1\r\n\r\n',
  'get / HTTP/1.1\r\n\r\n',
  'GET\r\n\r\n',
  'POST\r\n\r\n',
  'HELO mail.test\r\n\r\n',
  'GET / http/1.1\r\n\r\n',
  'GET\t/\tHTTP/1.1\r\n\r\n',
  'GET / HTTP\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  'GET / HTTP/1.1 extra\r\n\r\n',
  'GET / HTTQ/1.1\r\n\r\n',
  'GET  HTTP/1.1\r\n\r\n',
  '{"json": true}\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
  'SSH-2.0-OpenSSH_9.0\r\n\r\n',
  '*1\r\n$4\r\nPING\r\n',
  `${get}no colon\r\n\r\n`,
  `${get}: no name\r\n\r\n`,
  `${get}spa ce: x\r\n\r\n`,
  `${get}Name : x\r\n\r\n`,
  `${get}X: a\rb\r\n\r\n`,
  `${get}Content-Length: x\r\n\r\n`,
  `${get}Content-Length: -1\r\n\r\n`,
  `${get}Content-Length: 1, 2\r\n\r\n`,
  `${get}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
  `${get}Content-Length: 99999999999999999999999\r\n\r\n`,
  `${get}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
  `${get}Transfer-Encoding: nonsense\r\n\r\n`,
  `${get}Transfer-Encoding: chunked, identity\r\n\r\n`,
  `${get}X: ${'x'.repeat(70_000)}\r\n\r\n`,
  `GET /${'x'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  `${get}${Array.from({ length: 8000 }, (_, i) => `x-${i}: y\r\n`).join('')}\r\n`,
  'GET /v1/things/1 HTTP/1.1\r\n\r\n',
  'GET /v1/things/1 HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
  'CONNECT example.test:443 HTTP/1.1\r\nHost: x\r\n\r\n',
  `${post}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  ...['zz', '-1', '0x5', '5 5', 'g', '1'.repeat(40)].map(
    (size) => `${post}Transfer-Encoding: chunked\r\n\r\n${size}\r\nhello\r\n0\r\n\r\n`,
  ),
  `${post}Transfer-Encoding: chunked\r\n\r\n5\r\nhelloXX0\r\n\r\n`,
  `${post}Transfer-Encoding: chunked\r\n\r\n5;${'x'.repeat(70_000)}\r\nhello\r\n0\r\n\r\n`,
  ...controls.map((code) => `G${String.fromCharCode(code)}T / HTTP/1.1\r\n\r\n`),
  ...controls.map((code) => `${get}X${String.fromCharCode(code)}: y\r\n\r\n`),
  ...controls.map((code) => `GET /${String.fromCharCode(code)} HTTP/1.1\r\nHost: x\r\n\r\n`),
  ...controls.map((code) => `GET / HTTP/1.1\r\n${String.fromCharCode(code)}Host: x\r\n\r\n`),
]

/** Requests that are HTTP, but strange: any answer will do that is one. */
const strange: string[] = [
  'GET /\r\n\r\n',
  'GET http://other.test/v1/things/1 HTTP/1.1\r\nHost: x\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET ? HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /v1/../v1/things HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /v1/things?%ff=%fe HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\n\r\n',
  'GET /v1/things?a[b][c]=d&__proto__[x]=1&constructor=2 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\n\r\n',
  `GET /v1/things?${'a&'.repeat(200)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\n\r\n`,
  `GET /v1/things?limit=${'9'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\n\r\n`,
  'TRACE / HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET / HTTP/1.0\r\n\r\n',
  `${get}Expect: the unexpected\r\n\r\n`,
  `${get}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  `${get}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n\r\n`,
  `${post}Content-Type: \xff\xfe\r\nContent-Length: 2\r\n\r\n{}`,
  `${post}Content-Type: multipart/form-data; boundary\r\nContent-Length: 2\r\n\r\n{}`,
  `${post}Content-Length: 0\r\n\r\n`,
]

async function answerTo(text: string): Promise<string> {
  const client = TextSocket.tcp(sample.listener.port)
  client.write(Buffer.from(text, 'latin1'))
  const answer = await client.until('}}')
  client.socket.destroy()
  return answer
}

describe('a server that is sent garbage', () => {
  it('answers 100 kinds of malformed or strange requests with a JSON error of the service', async () => {
    const requests = [...malformed, ...strange]
    expect(requests.length).toBeGreaterThanOrEqual(100)
    for (const request of requests) {
      const answer = await answerTo(request)
      const name = JSON.stringify(request.slice(0, 80))
      expect(answer, name).toMatch(/^HTTP\/1\.1 [2-4]\d\d /)
      expect(answer, name).toMatch(/\r\nx-request-id: req_[0-9a-f]{32}\r\n/i)
      expect(answer, name).toMatch(/\r\nx-caller: /i)
      const body = answer.slice(answer.indexOf('\r\n\r\n') + 4)
      expect(JSON.parse(body), name).toHaveProperty('error.code')
    }
    for (const request of malformed) {
      expect(await answerTo(request), JSON.stringify(request.slice(0, 80))).toMatch(/^HTTP\/1\.1 4(00|13|31) /)
    }
    expect(sample.log.lines.filter(({ level }) => level === 'error')).toEqual([])
    const still = await fetch(`${sample.url}/v1/things/1`, { headers: asUser })
    expect(still.status).toBe(200)
  })

  it('closes the connection after it, also when the client sends on', async () => {
    const client = TextSocket.tcp(sample.listener.port)
    client.write('nonsense\r\n\r\n')
    await client.until('bad_request')
    client.write('more nonsense\r\n\r\n')
    expect(await client.rest()).toBe('')
  })

  it('survives connections that say nothing, half a request, or leave at once', async () => {
    for (const text of ['', 'G', 'GET / HT', `${get}X: y`, `${post}Content-Length: 10\r\n\r\n{`]) {
      const client = TextSocket.tcp(sample.listener.port)
      if (text !== '') await client.write(text)
      client.socket.destroy()
    }
    expect((await fetch(`${sample.url}/healthz`)).status).toBe(200)
  })
})

import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { asUser, defineRoute, type Sample, sampleErrors, startSample } from './testing/sample-service.ts'
import { TextSocket } from './testing/text-socket.ts'

const enospc = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
const failing = (path: string, error: () => Error) =>
  defineRoute({
    method: 'GET',
    path,
    auth: 'anyone',
    summary: 'Fail',
    response: z.object({}),
    handler: () => {
      throw error()
    },
  })
const routes = [
  failing('/v1/full', () => enospc),
  failing('/v1/refused', () => sampleErrors.unavailable(7)),
  defineRoute({
    method: 'GET',
    path: '/v1/wrong',
    auth: 'anyone',
    summary: 'Answer against its own schema',
    response: z.object({ n: z.number() }),
    handler: () => ({ n: 'one' }) as unknown as { n: number },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/bad-header',
    auth: 'anyone',
    summary: 'Set a header that cannot be sent',
    response: z.object({}),
    handler: ({ setHeader }) => {
      setHeader('x-name', 'ünïcödé ✓')
      return {}
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/optional',
    auth: 'anyone',
    summary: 'Take an optional body',
    body: z.strictObject({ a: z.number() }).optional(),
    response: z.object({ body: z.unknown() }),
    handler: ({ body }) => ({ body: body ?? null }),
  }),
]

let sample: Sample
beforeAll(async () => {
  sample = await startSample({ routes, options: { timeouts: { idleBodyMs: 300, drainMs: 1000 } } })
})
afterAll(() => sample.stop())

const call = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(sample.url + path, { ...init, headers: { ...asUser, ...init.headers } })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: text === '' ? undefined : JSON.parse(text) }
}
const post = (
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  type: string | undefined = 'application/json',
  headers = {},
) =>
  call(path, { method: 'POST', body, headers: { ...(type === undefined ? {} : { 'content-type': type }), ...headers } })
const postBytes = (body: Uint8Array<ArrayBuffer>, headers = {}) => post('/v1/chat', body, 'application/json', headers)

describe('every response', () => {
  it('INF-026 carries its own x-request-id, whatever it is', async () => {
    const responses = [
      await call('/v1/things/1'),
      await call('/nowhere'),
      await call('/v1/chat'),
      await post('/v1/chat', '{'),
      await post('/v1/files', 'x', 'multipart/form-data'),
      await call('/v1/things/1', { headers: { authorization: '' } }),
      await call('/v1/boom'),
      await call('/healthz'),
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 404, 405, 400, 400, 401, 500, 200])
    const ids = responses.map(({ headers }) => headers.get('x-request-id'))
    for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{32}$/)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { headers } of responses) expect(headers.get('x-caller')).toMatch(/^(ada|nobody)$/)
  })

  it('leaves one line in the log, without query, headers or body', async () => {
    const before = sample.log.lines.length
    const { headers } = await call('/v1/things?limit=2&after=secret-cursor')
    await expect.poll(() => sample.log.lines.length).toBe(before + 1)
    const line = sample.log.lines[before]
    expect(line).toMatchObject({ level: 'info', fields: { method: 'GET', path: '/v1/things', status: 200 } })
    expect(line?.fields.request_id).toBe(headers.get('x-request-id'))
    expect(JSON.stringify(line)).not.toContain('secret-cursor')
    expect(JSON.stringify(line)).not.toContain('Bearer')
  })
})

describe('paths and methods', () => {
  it('unknown ones are told without asking who calls', async () => {
    for (const path of ['/', '/v1', '/v1/things/', '/v1/things/1/', '/V1/things', '/v1/%', '/%ff%fe', '//v1/things']) {
      const { status, body } = await call(path, { headers: { authorization: '' } })
      expect([path, status, body.error.code]).toEqual([path, 404, 'unknown_url'])
    }
  })

  it('known ones with another method name those they have', async () => {
    for (const method of ['PUT', 'PATCH', 'POST', 'OPTIONS', 'PROPFIND']) {
      const { status, headers, body } = await call('/v1/things/1', { method })
      expect([method, status, body.error.code]).toEqual([method, 405, 'method'])
      expect(headers.get('allow')).toBe('GET, HEAD, DELETE')
    }
  })

  it('a malformed or very long id is an id like any other', async () => {
    expect((await call(`/v1/things/${'x'.repeat(20_000)}`)).status).toBe(200)
    expect((await call('/v1/things/%F0%9F%8F%9D%20x')).body.id).toBe('🏝 x')
    expect((await call('/v1/things/%zz')).status).toBe(404)
  })

  it('HEAD answers like GET without the body', async () => {
    const response = await call('/v1/things/1', { method: 'HEAD' })
    expect([response.status, response.text]).toEqual([200, ''])
    expect(response.headers.get('content-length')).toBe(String('{"id":"1","owner":"ada"}'.length))
    expect((await call('/v1/things/1', { method: 'HEAD', headers: { authorization: '' } })).status).toBe(401)
  })
})

describe('JSON bodies', () => {
  const good = '{"messages":[{"role":"user","content":"hi"}]}'

  it('INF-008 are taken as application/json, as other JSON types, and without a type', async () => {
    for (const type of ['application/json', 'Application/JSON; charset=UTF-8', 'application/merge-patch+json']) {
      expect([type, (await post('/v1/chat', good, type)).status]).toEqual([type, 201])
    }
    expect((await postBytes(new TextEncoder().encode(good), { 'content-type': '' })).status).toBe(201)
  })

  it('are refused as other types and encodings', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'garbage',
      'application/json; charset=latin1',
    ]) {
      const { status, body } = await post('/v1/chat', good, type)
      expect([type, status, body.error.code]).toEqual([type, 415, 'content_type'])
    }
    const packed = await post('/v1/chat', good, undefined, { 'content-encoding': 'gzip' })
    expect([packed.status, packed.body.error.code]).toEqual([415, 'content_encoding'])
    expect((await post('/v1/chat', good, undefined, { 'content-encoding': 'identity' })).status).toBe(201)
  })

  it('that are no JSON, no UTF-8 or too deep are told so', async () => {
    for (const text of ['{', '{"a":1,}', 'nonsense', '"\u0001"', '{"a":1}{"b":2}', '[1,2', "{'a':1}", 'NaN']) {
      expect([text, (await post('/v1/chat', text)).body.error.code]).toEqual([text, 'invalid_json'])
    }
    const bytes = new Uint8Array([0x22, 0xff, 0xfe, 0x22])
    expect((await postBytes(bytes)).body.error.code).toBe('invalid_json')
    expect((await post('/v1/chat', '['.repeat(65) + ']'.repeat(65))).body.error.code).toBe('too_deep')
    expect((await post('/v1/chat', '['.repeat(4000) + ']'.repeat(4000))).body.error.code).toBe('too_deep')
    expect((await post('/v1/chat', '['.repeat(64) + ']'.repeat(64))).body.error.code).toBe('invalid_type')
  })

  it('name the exact place of what is wrong', async () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'image_url', image_url: { url: 5 } },
    ]
    const { status, body } = await post('/v1/chat', JSON.stringify({ messages: [{ role: 'user', content: parts }] }))
    expect(status).toBe(400)
    expect(body.error.param).toBe('messages[0].content[1].image_url.url')
    expect(body.error.message).toContain('expected a string, but got an integer')
  })

  it('may be missing: then every required parameter is', async () => {
    expect((await call('/v1/chat', { method: 'POST' })).body.error).toMatchObject({
      code: 'invalid_missing',
      param: 'messages',
    })
    expect((await post('/v1/chat', '  ')).body.error.param).toBe('messages')
    expect((await call('/v1/optional', { method: 'POST' })).body).toEqual({ body: null })
    expect((await post('/v1/optional', '{"a":1}')).body).toEqual({ body: { a: 1 } })
  })

  it('on routes that take none are refused unless empty', async () => {
    const remove = (body: string, type = 'application/json') =>
      call('/v1/things/1', { method: 'DELETE', body, headers: { 'content-type': type } })
    for (const body of ['', '{}', ' {} ']) expect([body, (await remove(body)).status]).toEqual([body, 200])
    expect((await remove('', 'text/plain')).status).toBe(200)
    expect((await remove('{"a":1}')).body.error).toMatchObject({ code: 'invalid_unknown', param: 'a' })
    expect((await remove('[]')).body.error.code).toBe('invalid_type')
    expect((await remove('a=1', 'text/plain')).status).toBe(415)
  })
})

describe('bodies that are too large or too slow', () => {
  it('get an answer the client can read, although it is still sending', async () => {
    const big = 'x'.repeat(5_000_000)
    const { status, body, headers } = await post('/v1/chat', big)
    expect([status, body.error.code, headers.get('connection')]).toEqual([413, 'body_too_large', 'close'])
    const chunked = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 100; i++) controller.enqueue(new TextEncoder().encode('x'.repeat(1000)))
        controller.close()
      },
    })
    const init = { method: 'POST', body: chunked, duplex: 'half', headers: { 'content-type': 'application/json' } }
    expect((await call('/v1/chat', init as RequestInit)).body.error.code).toBe('body_too_large')
  })

  it('are cut after a while when the client never stops', async () => {
    const client = TextSocket.tcp(sample.listener.port)
    client.write('POST /v1/chat HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\nContent-Length: 1000000000\r\n\r\n')
    const answer = await client.until('body_too_large')
    expect(answer).toContain('HTTP/1.1 413')
    const closed = once(client.socket, 'end')
    client.write('x'.repeat(10_000))
    await closed
    client.socket.destroy()
  })

  it('that stop coming are given up', async () => {
    const client = TextSocket.tcp(sample.listener.port)
    client.write('POST /v1/chat HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\nContent-Length: 100\r\n\r\n{"mess')
    expect(await client.until('too_slow')).toContain('HTTP/1.1 408')
    client.socket.destroy()
  })

  it('are not asked for when the client waits for leave and is refused', async () => {
    const ask = async (authorization: string) => {
      const client = TextSocket.tcp(sample.listener.port)
      client.write(
        `POST /v1/chat HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
      )
      const text = await client.until('HTTP/1.1')
      client.write('{}')
      const rest = await client.until('error').catch(() => '')
      client.socket.destroy()
      return text + rest
    }
    expect(await ask('Bearer ada')).toMatch(/^HTTP\/1.1 100 Continue[\s\S]+HTTP\/1.1 400/)
    expect(await ask('none')).toMatch(/^HTTP\/1.1 401/)
  })
})

describe('handlers that fail', () => {
  it('say nothing of the reason, which is logged with its stack', async () => {
    const { status, body, text, headers } = await call('/v1/boom')
    expect([status, body.error.code]).toEqual([500, 'internal'])
    expect(text).not.toContain('secret detail')
    const id = headers.get('x-request-id')
    expect(body.error.message).toContain(id)
    const lines = sample.log.lines.filter(({ level, fields }) => level === 'error' && fields.request_id === id)
    expect(lines.map(({ fields }) => (fields.error as Error).stack)).toEqual([expect.stringContaining('secret detail')])
  })

  it('with an error of the catalogue answer with it', async () => {
    const { status, headers } = await call('/v1/refused')
    expect([status, headers.get('retry-after')]).toEqual([503, '7'])
  })

  it('for want of disk space say so', async () => {
    expect((await call('/v1/full')).status).toBe(507)
  })

  it('against their own schema, or with a header that cannot be sent, are noticed', async () => {
    expect((await call('/v1/wrong')).status).toBe(500)
    expect((await call('/v1/bad-header')).status).toBe(500)
  })
})

describe('a service whose own parts fail', () => {
  it('answers 500, or closes the connection when it cannot even do that; it never dies', async () => {
    const authenticate = () => Promise.reject(new Error('the database is away'))
    const away = await startSample({ service: { authenticate } })
    expect((await fetch(`${away.url}/v1/things/1`)).status).toBe(500)
    expect((await fetch(`${away.url}/healthz`)).status).toBe(200)
    await away.stop()
    const responseHeaders = () => {
      throw new Error('a bug')
    }
    const broken = await startSample({ service: { responseHeaders } })
    for (const path of ['/v1/things/1', '/healthz', '/nowhere'])
      await expect(fetch(broken.url + path)).rejects.toThrow()
    const client = TextSocket.tcp(broken.listener.port)
    client.write('nonsense\r\n\r\n')
    expect(await client.rest()).toBe('')
    expect(broken.log.lines.filter(({ message }) => message === 'An error could not be sent')).toHaveLength(4)
    await broken.stop()
  })

  it('admits before it reads: a refusal stores nothing and carries its headers', async () => {
    const admit = async (_caller: unknown, { path }: { path: string }) => {
      if (path === '/v1/files') throw sampleErrors.unavailable(3)
      return { 'x-ratelimit-limit-requests': '5' }
    }
    const limited = await startSample({ service: { admit } })
    const form = new FormData()
    form.append('file', new Blob(['x']), 'x')
    const refused = await fetch(`${limited.url}/v1/files`, { method: 'POST', body: form, headers: asUser })
    expect([refused.status, refused.headers.get('retry-after'), await limited.blobKeys()]).toEqual([503, '3', []])
    const bad = await fetch(`${limited.url}/v1/things?limit=x`, { headers: asUser })
    expect([bad.status, bad.headers.get('x-ratelimit-limit-requests')]).toEqual([400, '5'])
    await limited.stop()
  })
})

describe('connections', () => {
  it('are used again after errors', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const sockets = new Set<unknown>()
    const ask = async (method: string, path: string, body = '') => {
      const headers = { ...asUser, 'content-type': 'application/json', 'content-length': body.length }
      const request = httpRequest(sample.url + path, { method, agent, headers })
      request.end(body)
      const [response] = await once(request, 'response')
      sockets.add(response.socket)
      for await (const _ of response);
      return response.statusCode
    }
    const statuses = [
      await ask('POST', '/v1/chat', '{'),
      await ask('GET', '/nowhere'),
      await ask('POST', '/nowhere', 'x'.repeat(20_000)),
      await ask('POST', '/v1/chat', 'x'.repeat(20_000)),
      await ask('GET', '/v1/boom'),
      await ask('GET', '/v1/things/1'),
    ]
    expect(statuses).toEqual([400, 404, 404, 413, 500, 200])
    expect(sockets.size).toBe(1)
    agent.destroy()
  })

  it('answer pipelined requests in order', async () => {
    const client = TextSocket.tcp(sample.listener.port)
    const ask = (id: number) => `GET /v1/things/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\n\r\n`
    client.write(Array.from({ length: 20 }, (_, id) => ask(id)).join(''))
    const text = await client.until('"id":"19"')
    expect([...text.matchAll(/"id":"(\d+)"/g)].map(([, id]) => Number(id))).toEqual([...Array(20).keys()])
    client.socket.destroy()
  })

  it('of clients that leave abort the signal of the handler, which is no failure for the log', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const waiting = defineRoute({
      method: 'GET',
      path: '/v1/wait',
      auth: 'anyone',
      summary: 'Wait for the client to leave',
      response: z.object({}),
      handler: ({ signal }) => {
        client.socket.destroy()
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            resolve('aborted')
            reject(signal.reason)
          })
        })
      },
    })
    const other = await startSample({ routes: [waiting] })
    const client = TextSocket.tcp(other.listener.port)
    client.write('GET /v1/wait HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(await promise).toBe('aborted')
    await expect
      .poll(() => other.log.lines.find(({ message }) => message === 'request')?.fields)
      .toMatchObject({ status: 499 })
    await other.stop()
    expect(other.log.lines.filter(({ level }) => level === 'error')).toEqual([])
  })
})

import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bytes, empty, events, json, type ServerSentEvent } from '../reply.ts'
import { asUser, defineRoute, type Sample, sampleErrors, startSample } from '../testing/sample-service.ts'
import { TextSocket } from '../testing/text-socket.ts'
import { rangedBytes } from './range.ts'
import { formatEvent } from './sse.ts'

const content = '0123456789'
const large = { data: Array.from({ length: 500 }, (_, index) => `${index} "héllo" 🏝 `.repeat(1_000)) }
const state = { source: new Readable(), produced: 0, returned: Promise.withResolvers<void>() }

async function* endless(): AsyncGenerator<ServerSentEvent> {
  try {
    for (;;) {
      state.produced++
      yield { data: 'x'.repeat(10_000) }
    }
  } finally {
    state.returned.resolve()
  }
}

async function* failing(error: Error): AsyncGenerator<ServerSentEvent> {
  yield { data: '{"n":1}' }
  throw error
}

const get = (
  path: string,
  response: 'bytes' | 'events' | z.ZodType,
  handler: Parameters<typeof defineRoute>[0]['handler'],
) =>
  defineRoute({ method: 'GET', path, auth: 'anyone', summary: path, response, handler } as Parameters<
    typeof defineRoute
  >[0])

const routes = [
  get('/text', 'bytes', () => bytes('héllo', { 'content-type': 'text/plain; charset=utf-8' })),
  get('/buffer', 'bytes', () => bytes(Buffer.from([1, 2, 3]), { 'content-type': 'application/octet-stream' })),
  get('/stream', 'bytes', () => bytes(Readable.from([Buffer.from('ab'), Buffer.from('cd')]), {})),
  get('/broken', 'bytes', () => {
    const source = new Readable({ read() {} })
    source.push('half')
    setImmediate(() => source.destroy(new Error('the disk died')))
    return bytes(source, { 'content-length': '100' })
  }),
  get('/endless', 'bytes', () => {
    state.source = new Readable({
      read() {
        state.produced++
        this.push(Buffer.alloc(10_000))
      },
    })
    return bytes(state.source, {})
  }),
  get('/ranged', 'bytes', ({ method, headers }) =>
    rangedBytes({
      size: content.length,
      filename: 'naïve.txt',
      read: (range) => Readable.from([Buffer.from(content.slice(range?.start ?? 0, (range?.end ?? 9) + 1))]),
      method,
      headers,
      errors: sampleErrors,
    }),
  ),
  get('/accepted', z.object({ ok: z.boolean() }), () => json(202, { ok: true }, { location: '/x' })),
  get('/large', z.object({ data: z.array(z.string()) }), () => json(200, large, { 'x-large': 'yes' })),
  get('/none', z.object({}), () => empty()),
  get('/not-modified', z.object({}), () => empty(304)),
  get('/events', 'events', () =>
    events(
      (async function* () {
        yield { data: '{"n":1}' }
        yield { event: 'named', data: 'two\nlines' }
        yield { data: '[DONE]' }
      })(),
    ),
  ),
  get('/endless-events', 'events', () => events(endless())),
  get('/failing-events', 'events', () => events(failing(new Error('secret reason')))),
  get('/refusing-events', 'events', () => events(failing(sampleErrors.unavailable(1)))),
]

let sample: Sample
beforeAll(async () => {
  sample = await startSample({ routes })
})
afterAll(() => sample.stop())
const call = (path: string, init: RequestInit = {}) =>
  fetch(sample.url + path, { ...init, headers: { ...asUser, ...init.headers } })

describe('a large answer in JSON', () => {
  it('comes whole, in pieces, with the headers of any other', async () => {
    const response = await fetch(`${sample.url}/large`)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
      'x-large': 'yes',
      'x-request-id': expect.stringMatching(/^req_/),
    })
    expect((await response.text()) === JSON.stringify(large)).toBe(true)
  })

  it('has no body where only its head is asked for, and ends with a client that leaves', async () => {
    const head = await fetch(`${sample.url}/large`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const client = TextSocket.tcp(sample.listener.port)
    client.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
    await client.until('"data"')
    client.socket.destroy()
    expect((await fetch(`${sample.url}/accepted`)).status).toBe(202)
  })
})

describe('replies', () => {
  it('carry status, headers and bytes', async () => {
    const text = await call('/text')
    expect([text.headers.get('content-length'), await text.text()]).toEqual(['6', 'héllo'])
    expect([...(await (await call('/buffer')).bytes())]).toEqual([1, 2, 3])
    const stream = await call('/stream')
    expect(stream.headers.get('x-request-id')).toMatch(/^req_/)
    expect(await stream.text()).toBe('abcd')
    const accepted = await call('/accepted')
    expect([accepted.status, accepted.headers.get('location'), await accepted.json()]).toEqual([
      202,
      '/x',
      { ok: true },
    ])
    const none = await call('/none')
    expect([none.status, none.headers.get('content-length'), await none.text()]).toEqual([204, null, ''])
    expect((await call('/not-modified')).status).toBe(304)
  })

  it('to HEAD have no body, and close the source they would have had', async () => {
    for (const path of ['/text', '/buffer', '/stream', '/events', '/endless']) {
      const response = await call(path, { method: 'HEAD' })
      expect([path, response.status, await response.text()]).toEqual([path, 200, ''])
    }
    expect(state.source.destroyed).toBe(true)
    expect((await call('/text', { method: 'HEAD' })).headers.get('content-length')).toBe('6')
  })

  it('whose source fails half-way cut the connection, and nothing else', async () => {
    await expect(call('/broken').then((response) => response.text())).rejects.toThrow()
    expect((await call('/text')).status).toBe(200)
    expect(sample.log.lines.some(({ message }) => message.includes('half-way'))).toBe(true)
  })

  it('read their source no faster than the client, and close it when the client leaves', async () => {
    state.produced = 0
    const client = TextSocket.tcp(sample.listener.port)
    client.socket.pause()
    client.write('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => state.produced).toBeGreaterThan(0)
    await untilStill(() => state.produced)
    expect(state.produced).toBeLessThan(2000)
    const closed = new Promise((resolve) => state.source.once('close', resolve))
    client.socket.destroy()
    await closed
  })
})

/** Waits until a figure has not moved for a while. */
async function untilStill(figure: () => number): Promise<void> {
  for (let last = -1; last !== figure(); ) {
    last = figure()
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

describe('ranges', () => {
  it.each([
    [undefined, 200, content, null],
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=5-', 206, '56789', 'bytes 5-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-30', 206, content, 'bytes 0-9/10'],
    ['bytes=8-100', 206, '89', 'bytes 8-9/10'],
    ['bytes=0-1,3-4', 200, content, null],
    ['bytes=4-2', 200, content, null],
    ['lines=1-2', 200, content, null],
    ['nonsense', 200, content, null],
  ])('%s', async (range, status, body, contentRange) => {
    const response = await call('/ranged', { headers: range === undefined ? {} : { range } })
    expect([response.status, await response.text()]).toEqual([status, body])
    expect(response.headers.get('content-range')).toBe(contentRange)
    expect(response.headers.get('content-length')).toBe(String(body.length))
    expect(response.headers.get('accept-ranges')).toBe('bytes')
  })

  it('that lie outside are refused with the size', async () => {
    for (const range of ['bytes=10-', 'bytes=100-200', 'bytes=-0']) {
      const response = await call('/ranged', { headers: { range } })
      expect([range, response.status, response.headers.get('content-range')]).toEqual([range, 416, 'bytes */10'])
    }
  })

  it('do not concern HEAD, which tells the size and the name', async () => {
    const response = await call('/ranged', { method: 'HEAD', headers: { range: 'bytes=1-2' } })
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '10'])
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="na_ve.txt"; filename*=UTF-8''na%C3%AFve.txt`,
    )
  })
})

describe('server-sent events', () => {
  it('arrive one by one, with the headers first', async () => {
    const response = await call('/events')
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(await response.text()).toBe('data: {"n":1}\n\nevent: named\ndata: two\ndata: lines\n\ndata: [DONE]\n\n')
  })

  it('end with an error in the words of the service when they fail', async () => {
    const failed = await (await call('/failing-events')).text()
    expect(failed).toMatch(/^data: \{"n":1\}\n\ndata: \{"error":\{"code":"internal".*\}\}\n\n$/)
    expect(failed).not.toContain('secret reason')
    expect(await (await call('/refusing-events')).text()).toContain('"code":"unavailable"')
  })

  it('are made no faster than the client reads, and not at all once it left', async () => {
    state.produced = 0
    const client = TextSocket.tcp(sample.listener.port)
    client.socket.pause()
    client.write('GET /endless-events HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => state.produced).toBeGreaterThan(0)
    await untilStill(() => state.produced)
    expect(state.produced).toBeLessThan(2000)
    client.socket.destroy()
    await state.returned.promise
  })

  it('cannot be broken by what is in them', () => {
    expect(formatEvent({ event: 'a\nb', data: 'x\r\ny\rz' })).toBe('event: a b\ndata: x\ndata: y\ndata: z\n\n')
    expect(formatEvent({ data: '' })).toBe('data: \n\n')
    expect(formatEvent({ id: '7\n8', data: 'x' })).toBe('id: 7 8\ndata: x\n\n')
  })
})

import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { asUser, defineRoute, type Sample, startSample } from '../testing/sample-service.ts'
import { TextSocket } from '../testing/text-socket.ts'

interface Answer {
  error?: { code: string; message: string; param?: string }
  values?: number
}

const megabyte = 1_000_000
const Any = z.looseObject({})
const Count = z.object({ values: z.number() })

const echo = (
  path: string,
  auth: 'user' | 'anyone',
  more: { takesLargeJson?: boolean; maxJsonNumbers?: number } = {},
) =>
  defineRoute({
    method: 'POST',
    path,
    auth,
    summary: 'Count what came',
    body: Any,
    response: Count,
    handler: ({ body }) => ({ values: Object.keys(body).length }),
    ...more,
  })

let sample: Sample

beforeAll(async () => {
  const routes = [
    echo('/v1/usual', 'user'),
    echo('/v1/large', 'user', { takesLargeJson: true }),
    echo('/v1/numbers', 'user', { takesLargeJson: true, maxJsonNumbers: megabyte }),
    echo('/v1/open', 'anyone'),
  ]
  const timeouts = { idleBodyMs: 400, drainMs: 1000 }
  sample = await startSample({ routes, service: { maxJsonBytes: 32 * megabyte }, options: { timeouts } })
})
afterAll(() => sample.stop())

const head = (path: string, bytes: number) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\nContent-Length: ${bytes}\r\n\r\n`

async function post(path: string, body: string) {
  const headers = { 'content-type': 'application/json', ...asUser }
  const response = await fetch(sample.url + path, { method: 'POST', body, headers })
  const { error, values } = (await response.json()) as Answer
  return { status: response.status, code: error?.code, param: error?.param, message: error?.message, values }
}

describe('a JSON body', () => {
  it('that is nested too deeply is refused while it arrives', async () => {
    const client = TextSocket.tcp(sample.listener.port)
    client.write(head('/v1/large', 30 * megabyte))
    client.write('['.repeat(100_000))
    expect(await client.until('too_deep')).toContain('HTTP/1.1 400')
    client.socket.destroy()
  })

  it('with too many values is refused while it arrives, whatever they are', async () => {
    for (const [item, what] of [
      ['0,', 'numbers'],
      ...['"",', '{},', 'null,', '[],'].map((one) => [one, 'values'] as const),
    ] as const) {
      const client = TextSocket.tcp(sample.listener.port)
      client.write(head('/v1/large', 30 * megabyte))
      client.write(`[${item.repeat(150_000)}`)
      expect(await client.until(`more than 100000 ${what}.`)).toContain('HTTP/1.1 400')
      client.socket.destroy()
    }
  })

  it('with an object of too many names is refused', async () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `"name-${index}":0`)
    const { status, message } = await post('/v1/large', `{${names.join()}}`)
    expect([status, message]).toEqual([400, 'An object of the JSON body has more than 4096 keys.'])
    expect(await post('/v1/large', `{${names.slice(0, 4_096).join()}}`)).toMatchObject({ status: 200, values: 4_096 })
  })

  it('may hold one text as long as all of it, and as many numbers as its route says', async () => {
    const long = JSON.stringify({ text: 'é\n'.repeat(5 * megabyte) })
    expect(await post('/v1/large', long)).toMatchObject({ status: 200, values: 1 })
    const numbers = (count: number) => `{"a":[${Array(count).fill('1234').join()}]}`
    expect(await post('/v1/numbers', numbers(megabyte))).toMatchObject({ status: 200, values: 1 })
    expect(await post('/v1/numbers', numbers(megabyte + 1))).toMatchObject({ status: 400 })
  })

  it('may have a few KB without a key, a megabyte with one, and more only where a route says so', async () => {
    const body = (bytes: number) => JSON.stringify({ text: 'a'.repeat(bytes) })
    expect(await post('/v1/open', body(8_000))).toMatchObject({ status: 200 })
    expect(await post('/v1/open', body(9_000))).toMatchObject({ status: 413, code: 'body_too_large' })
    expect(await post('/v1/usual', body(megabyte))).toMatchObject({ status: 200 })
    expect(await post('/v1/usual', body(1.1 * megabyte))).toMatchObject({ status: 413, code: 'body_too_large' })
    expect(await post('/v1/large', body(31 * megabyte))).toMatchObject({ status: 200 })
  })

  it('that is packed is refused before it is read, and so is a form', async () => {
    for (const [path, type] of [
      ['/v1/usual', 'application/json'],
      ['/v1/files', 'multipart/form-data; boundary=x'],
    ] as const) {
      const headers = { 'content-type': type, 'content-encoding': 'gzip', ...asUser }
      const response = await fetch(sample.url + path, { method: 'POST', body: gzipSync('{}'), headers })
      expect(await response.json(), path).toMatchObject({ error: { code: 'content_encoding', message: 'gzip' } })
      expect(response.status).toBe(415)
    }
  })

  it('is refused with the place of what is wrong, however large it is', async () => {
    const text = 'a'.repeat(100_000)
    expect(await post('/v1/large', `{"a":["${text}",{"b":"\\u0000"}]}`)).toMatchObject({
      status: 400,
      param: 'a[1].b',
    })
    expect(await post('/v1/large', `{"a":"${text}"`)).toMatchObject({ status: 400, code: 'invalid_json' })
    expect(await post('/v1/large', `["${text}"]`)).toMatchObject({ status: 400 })
  })

  it('that comes byte by byte ends, and one that comes slowly but steadily does not', async () => {
    const trickle = async (pieces: string[], everyMs: number) => {
      const client = TextSocket.tcp(sample.listener.port)
      client.write(head('/v1/large', pieces.join('').length))
      const answer = client.until('HTTP/1.1')
      for (const piece of pieces) {
        if (client.text !== '' || client.socket.destroyed) break
        await client.write(piece)
        await setTimeout(everyMs)
      }
      const text = await answer
      client.socket.destroy()
      return text.slice(0, 'HTTP/1.1 200'.length)
    }
    const letters = [...JSON.stringify({ text: 'a'.repeat(100) })]
    expect(await trickle(letters, 50)).toBe('HTTP/1.1 408')
    const pieces = ['{"text":"', ...Array<string>(20).fill('a'.repeat(200)), '"}']
    expect(await trickle(pieces, 50)).toBe('HTTP/1.1 200')
  })
})

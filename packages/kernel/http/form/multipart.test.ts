import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { asUser, type Sample, startSample } from '../testing/sample-service.ts'
import { TextSocket } from '../testing/text-socket.ts'

let sample: Sample
beforeAll(async () => {
  sample = await startSample({ options: { timeouts: { idleBodyMs: 500, drainMs: 500 } } })
})
afterAll(() => sample.stop())
afterEach(async () => {
  for (const key of await sample.blobKeys()) await sample.blobs.remove(key)
})

const boundary = 'XXboundaryXX'
const part = (disposition: string, content: string, more = '') =>
  `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${content}\r\n`
const file = (content = 'hello', disposition = 'name="file"; filename="h.txt"') =>
  part(disposition, content, 'Content-Type: text/plain\r\n')
const purpose = part('name="purpose"', 'batch')
const end = `--${boundary}--\r\n`

const send = async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
  const type = `multipart/form-data; boundary=${boundary}`
  const init = { method: 'POST', body, headers: { ...asUser, 'content-type': type, ...headers } }
  const response = await fetch(`${sample.url}/v1/files`, init)
  const answer = (await response.json()) as { filename: string; bytes: number; key: string; error: object }
  return { status: response.status, body: answer, headers: response.headers }
}

describe('a form with a file', () => {
  it('INF-009 is taken as multipart/form-data, with the fields before or after the file', async () => {
    for (const body of [
      purpose + file() + end,
      file() + purpose + end,
      `preamble\r\n${file()}${purpose}${end}epilogue`,
    ]) {
      const { status, body: answer } = await send(body)
      expect([status, answer]).toMatchObject([200, { filename: 'h.txt', bytes: 5, type: 'text/plain' }])
      expect(String(await buffer(await sample.blobs.read(answer.key)))).toBe('hello')
    }
    expect(await sample.blobKeys()).toHaveLength(3)
  })

  it('keeps every byte, boundaries in lookalike included', async () => {
    const bytes = Buffer.concat([
      randomBytes(400_000),
      Buffer.from(`\r\n--${boundary.slice(0, -1)}\r\n--`),
      randomBytes(99),
    ])
    const form = new FormData()
    form.append('purpose', 'batch')
    form.append('file', new Blob([bytes]), 'bytes.bin')
    const response = await fetch(`${sample.url}/v1/files`, { method: 'POST', body: form, headers: asUser })
    const { key } = (await response.json()) as { key: string }
    expect((await buffer(await sample.blobs.read(key))).equals(bytes)).toBe(true)
  })

  it('takes an empty file, and one that is exactly as large as allowed', async () => {
    expect((await send(file('') + purpose + end)).body.bytes).toBe(0)
    expect((await send(file('x'.repeat(1_000_000)) + purpose + end)).body.bytes).toBe(1_000_000)
  })

  it.each([
    ['filename="../../etc/passwd"', 'passwd'],
    ['filename="C:\\\\dir\\\\a.txt"', 'a.txt'],
    ['filename="naïve 🏝.txt"', 'naïve 🏝.txt'],
    [`filename*=UTF-8''na%C3%AFve%20%F0%9F%8F%9D.txt`, 'naïve 🏝.txt'],
    ['filename="a\u0007b\u202ec.txt"', 'abc.txt'],
    ['filename=""', ''],
    ['filename=".."', ''],
    [`filename="${'x'.repeat(249)}.jsonl"`, `${'x'.repeat(249)}.jsonl`],
    [`filename="/${'long/'.repeat(100)}a.txt"`, 'a.txt'],
    ['filename="a \\"b\\".txt"', 'a "b".txt'],
    ['filename=plain.txt', 'plain.txt'],
    [`filename="a.txt"; filename*=utf-8''b.txt`, 'b.txt'],
    [`filename*=iso-8859-1'en'%A3.txt`, '£.txt'],
  ])('takes the name of the file from %.40s', async (disposition, filename) => {
    const { body } = await send(Buffer.from(file('x', `name="file"; ${disposition}`) + purpose + end))
    expect(body.filename).toBe(filename)
  })
})

describe('a form that is wrong leaves nothing behind', () => {
  afterEach(async () => {
    expect(await sample.blobKeys()).toEqual([])
  })

  const manyFields = Array.from({ length: 51 }, (_, i) => part(`name="f${i}"`, 'x')).join('')
  it.each<[string, string, number, object]>([
    ['no file', purpose + end, 400, { code: 'invalid_missing', param: 'file' }],
    ['nothing', end, 400, {}],
    ['an empty body', '', 400, { code: 'invalid_multipart' }],
    ['no field', file() + end, 400, { code: 'invalid_missing', param: 'purpose' }],
    ['a wrong field', file() + part('name="purpose"', 'x') + end, 400, { code: 'invalid_value', param: 'purpose' }],
    [
      'an unknown field',
      file() + purpose + part('name="purpos"', '') + end,
      400,
      { code: 'invalid_unknown', param: 'purpos' },
    ],
    ['a repeated field', file() + purpose + purpose + end, 400, { code: 'invalid_type', param: 'purpose' }],
    ['a second file', file() + purpose + file() + end, 400, { code: 'invalid_other', param: 'file' }],
    [
      'a file under another name',
      file('x', 'name="fiel"; filename="x"') + end,
      400,
      { code: 'invalid_unknown', param: 'fiel' },
    ],
    [
      'the file as a plain field',
      part('name="file"', 'hello') + purpose + end,
      400,
      { code: 'invalid_type', param: 'file' },
    ],
    ['a part without a name', file() + part('x="y"', '') + end, 400, { code: 'invalid_multipart' }],
    [
      'a field that is too large',
      file() + part('name="purpose"', 'x'.repeat(65_537)) + end,
      400,
      { code: 'invalid_too_big', param: 'purpose' },
    ],
    ['too many fields', file() + manyFields + end, 400, { code: 'invalid_multipart' }],
    [
      'a file that is too large',
      file('x'.repeat(1_000_001)) + purpose + end,
      413,
      { code: 'file_too_large', param: 'file' },
    ],
    ['a file that is far too large', file('x'.repeat(8_000_000)) + purpose + end, 413, { code: 'file_too_large' }],
    ['no end after the file', file() + purpose, 400, { code: 'invalid_multipart' }],
    ['an end within a field', file() + purpose.slice(0, -8), 400, { code: 'invalid_multipart' }],
    ['an end within the file', purpose + file().slice(0, -4), 400, { code: 'invalid_multipart' }],
    ['an end within part headers', purpose + file().slice(0, 40), 400, { code: 'invalid_multipart' }],
    ['another boundary', file().replaceAll(boundary, 'other'), 400, { code: 'invalid_multipart' }],
    ['a handler that fails', file() + part('name="purpose"', 'fail') + end, 500, { code: 'internal' }],
    ['a handler that refuses', file() + part('name="purpose"', 'refuse') + end, 400, { code: 'bad_request' }],
  ])('%s', async (_name, text, status, error) => {
    const answer = await send(text)
    expect([answer.status, answer.body.error]).toMatchObject([status, error])
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
  })

  it.each([
    ['multipart/form-data', 400],
    ['multipart/form-data; boundary=', 400],
    ['multipart/form-data; boundary=""', 400],
    ['multipart/mixed; boundary=x', 415],
    ['application/json', 415],
    [`multipart/form-data; boundary=${'x'.repeat(5000)}`, 400],
  ])('the content type %.40s', async (type, status) => {
    expect((await send(file() + purpose + end, { 'content-type': type })).status).toBe(status)
  })

  it('a stranger, who can still read the answer while sending', async () => {
    const { status, headers } = await send(file('x'.repeat(900_000)) + purpose + end, { authorization: '' })
    expect([status, headers.get('connection')]).toEqual([401, 'close'])
  })

  it('a client that stops sending', async () => {
    const client = TextSocket.tcp(sample.listener.port)
    client.write(head(1000) + file().slice(0, 100))
    expect(await client.until('too_slow')).toContain('HTTP/1.1 408')
    client.socket.destroy()
    await expect.poll(() => sample.blobKeys()).toEqual([])
  })

  it('clients that leave at random points', async () => {
    const body = purpose + file('x'.repeat(300_000)) + end
    for (let round = 0; round < 40; round++) {
      const at = Math.floor(Math.random() * body.length)
      const client = TextSocket.tcp(sample.listener.port)
      await client.write(head(body.length) + body.slice(0, at))
      client.socket[round % 2 === 0 ? 'destroy' : 'resetAndDestroy']()
      await once(client.socket, 'close')
    }
    await expect.poll(() => sample.blobKeys(), { timeout: 5000 }).toEqual([])
    const lines = sample.log.lines.filter(({ level }) => level === 'error').map(({ fields }) => String(fields.error))
    expect(lines.filter((line) => !line.includes('The handler failed'))).toEqual([])
  })

  const head = (length: number) =>
    `POST /v1/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ada\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${length}\r\n\r\n`
})

describe('a large upload', () => {
  it('is not held in memory, however slow the disk', async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow = await startSample({
      options: {
        blobs: {
          ...sample.blobs,
          async write(source, { maxBytes }) {
            await gate
            let bytes = 0
            for await (const chunk of source) bytes += chunk.length
            return { key: `k${maxBytes}`, bytes }
          },
        },
      },
    })
    let sent = 0
    const chunks = function* () {
      yield Buffer.from(purpose + file().slice(0, -7))
      for (; sent < 900_000; sent += 10_000) yield Buffer.alloc(10_000)
      yield Buffer.from(`\r\n${end}`)
    }
    const source = Readable.from(chunks(), { objectMode: false, highWaterMark: 1 })
    const type = `multipart/form-data; boundary=${boundary}`
    const init = { method: 'POST', body: source, duplex: 'half', headers: { ...asUser, 'content-type': type } }
    const answer = fetch(`${slow.url}/v1/files`, init as unknown as RequestInit)
    const whole = purpose + file('x'.repeat(100_000)) + end
    const atOnce = fetch(`${slow.url}/v1/files`, { method: 'POST', body: whole, headers: init.headers })
    setTimeout(release, 50)
    expect(await (await answer).json()).toMatchObject({ bytes: 900_000 })
    // Its end came while there was no room, and nobody asks for more after an end.
    expect(await (await atOnce).json()).toMatchObject({ bytes: 100_000 })
    await slow.stop()
  })
})

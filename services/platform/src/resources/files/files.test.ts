import { request } from 'node:http'
import { OpenAI4, OpenAI6, toFile4, toFile6 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { describePlatform, describePlatformOnSqlite } from '../../testing/describe-platform.ts'
import { errorOf, formOf, listBlobs, patternFile } from '../../testing/requests.ts'
import { waitUntil } from '../../testing/wait-until.ts'
import { maxBatchFileBytes, maxFileBytes } from './schema.ts'

describePlatform('files', (start) => {
  it('INF-185 INF-187 INF-003 INF-004 INF-009 stores a file and returns the file object', async () => {
    const platform = await start()
    const before = Math.floor(Date.now() / 1000)
    const response = await platform.post('/v1/files', formOf('notes.txt', 'hello', { purpose: 'assistants' }))
    expect(response.status).toBe(200)
    const file = await response.json()
    expect(file).toMatchObject({ object: 'file', bytes: 5, filename: 'notes.txt', purpose: 'assistants' })
    expect(file.id).toMatch(/^file-/)
    expect(Number.isInteger(file.created_at)).toBe(true)
    expect(file.created_at).toBeGreaterThanOrEqual(before)
  })

  it('INF-191 INF-192 INF-006 INF-007 lists files newest first and retrieves each, ids unchanged', async () => {
    const platform = await start()
    const ids: string[] = []
    for (const name of ['a.txt', 'b.txt', 'c.txt']) ids.unshift((await platform.addFile(name, name)).id)
    const list = await (await platform.get('/v1/files')).json()
    expect(list).toMatchObject({ object: 'list', first_id: ids[0], last_id: ids[2], has_more: false })
    expect(list.data.map(({ id }) => id)).toEqual(ids)
    for (const id of ids) expect(await (await platform.get(`/v1/files/${id}`)).json()).toMatchObject({ id })
  })

  it('lists by purpose, in pages, in both orders, with an empty page after the last', async () => {
    const platform = await start()
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.push((await platform.addFile(`${n}.txt`, 'x')).id)
    await platform.addFile('b.jsonl', '{}', 'batch')
    const get = async (query: string) => (await platform.get(`/v1/files?purpose=assistants&${query}`)).json()
    const first = await get('order=asc&limit=2')
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2))
    expect(first.has_more).toBe(true)
    const second = await get(`order=asc&limit=10&after=${ids[1]}`)
    expect(second.data.map(({ id }) => id)).toEqual(ids.slice(2))
    expect(second.has_more).toBe(false)
    const beyond = await get(`order=asc&after=${ids[4]}`)
    expect(beyond).toMatchObject({ data: [], has_more: false, first_id: null, last_id: null })
    const before = await get(`order=asc&limit=2&before=${ids[3]}`)
    expect(before.data.map(({ id }) => id)).toEqual(ids.slice(1, 3))
  })

  it('goes on after a cursor whose file was deleted meanwhile', async () => {
    const platform = await start()
    const ids: string[] = []
    for (let n = 0; n < 4; n++) ids.push((await platform.addFile(`${n}.txt`, 'x')).id)
    await platform.delete(`/v1/files/${ids[1]}`)
    const page = await (await platform.get(`/v1/files?order=asc&after=${ids[1]}`)).json()
    expect(page.data.map(({ id }) => id)).toEqual(ids.slice(2))
  })

  it('INF-193 deletes a file for good, its bytes too', async () => {
    const platform = await start()
    const file = await platform.addFile('a.txt', 'bytes')
    expect(await listBlobs(platform.kernel)).toHaveLength(1)
    const response = await platform.delete(`/v1/files/${file.id}`)
    expect(await response.json()).toEqual({ id: file.id, object: 'file', deleted: true })
    for (const path of [`/v1/files/${file.id}`, `/v1/files/${file.id}/content`]) {
      const gone = await platform.get(path)
      expect(gone.status).toBe(404)
      expect(await errorOf(gone)).toMatchObject({ param: 'id', message: `No such File object: ${file.id}` })
    }
    expect((await platform.delete(`/v1/files/${file.id}`)).status).toBe(404)
    expect((await (await platform.get('/v1/files')).json()).data).toEqual([])
    await waitUntil(async () => (await listBlobs(platform.kernel)).length === 0)
  })

  it('INF-194 serves the stored bytes, whole or in ranges', async () => {
    const platform = await start()
    const bytes = patternFile(300_000)
    const file = await platform.addFile('Ünïcode "name".jsonl', bytes, 'batch')
    const path = `/v1/files/${file.id}/content`
    const whole = await platform.get(path)
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true)
    expect(whole.headers.get('content-length')).toBe('300000')
    expect(whole.headers.get('content-disposition')).toContain("filename*=UTF-8''")
    const part = await platform.get(path, { range: 'bytes=1000-1999' })
    expect(part.status).toBe(206)
    expect(part.headers.get('content-range')).toBe('bytes 1000-1999/300000')
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(1000, 2000))).toBe(true)
    const tail = await platform.get(path, { range: 'bytes=-10' })
    expect(Buffer.from(await tail.arrayBuffer()).equals(bytes.subarray(-10))).toBe(true)
    const outside = await platform.get(path, { range: 'bytes=300000-' })
    expect(outside.status).toBe(416)
    const head = await platform.request('HEAD', path)
    expect(head.headers.get('content-length')).toBe('300000')
  })

  it('INF-210 counts all files of the organization against its limit, across projects, and gives room back', async () => {
    const platform = await start({ config: { files: { maxOrganizationBytes: 100 } } })
    const other = await platform.addProject('other')
    const first = await platform.addFile('a.txt', 'x'.repeat(60))
    const refused = await other.post('/v1/files', formOf('b.txt', 'y'.repeat(41), { purpose: 'assistants' }))
    expect(refused.status).toBe(400)
    expect(await errorOf(refused)).toMatchObject({ code: 'storage_limit_exceeded' })
    expect((await other.post('/v1/files', formOf('b.txt', 'y'.repeat(40), { purpose: 'assistants' }))).status).toBe(200)
    await platform.delete(`/v1/files/${first.id}`)
    expect((await other.post('/v1/files', formOf('c.txt', 'y'.repeat(60), { purpose: 'assistants' }))).status).toBe(200)
  })

  it('leaves nothing behind when the client goes away in the middle', async () => {
    const platform = await start()
    for (const sent of [0, 1000, 100_000, 3_000_000]) await abandonUpload(platform.url, platform.apiKey, sent)
    await waitUntil(async () => (await listBlobs(platform.kernel)).length === 0)
    expect((await (await platform.get('/v1/files')).json()).data).toEqual([])
  })

  it('works with the openai client 6.49.0, deleting while it pages', async () => {
    const platform = await start()
    const client = new OpenAI6({ apiKey: platform.apiKey, baseURL: `${platform.url}/v1`, maxRetries: 0 })
    for (let n = 0; n < 5; n++) {
      await client.files.create({ file: await toFile6(Buffer.from(`${n}`), `${n}.txt`), purpose: 'assistants' })
    }
    let deleted = 0
    for await (const file of client.files.list({ limit: 2, order: 'asc' })) {
      await client.files.delete(file.id)
      deleted++
    }
    expect(deleted).toBe(5)
    expect((await client.files.list()).data).toEqual([])
  })
})

describePlatformOnSqlite('what files may be', (start) => {
  it('INF-186 INF-188 accepts the four upload purposes and refuses every other', async () => {
    const platform = await start()
    for (const purpose of ['assistants', 'vision', 'batch', 'fine-tune']) {
      const response = await platform.post('/v1/files', formOf('a.jsonl', '{}', { purpose }))
      expect([purpose, response.status]).toEqual([purpose, 200])
      expect((await response.json()).purpose).toBe(purpose)
    }
    for (const purpose of ['assistants_output', 'batch_output', 'fine-tune-results', 'Assistants', '', 'x']) {
      const response = await platform.post('/v1/files', formOf('a.jsonl', '{}', { purpose }))
      expect([purpose, response.status]).toEqual([purpose, 400])
      expect(await errorOf(response)).toMatchObject({ param: 'purpose', code: 'invalid_value' })
    }
    const missing = await platform.post('/v1/files', formOf('a.jsonl', '{}', {}))
    expect(missing.status).toBe(400)
    expect(await errorOf(missing)).toMatchObject({ param: 'purpose', code: 'missing_required_parameter' })
  })

  it('refuses bad list parameters by name', async () => {
    const platform = await start()
    const cases: [string, string, string][] = [
      ['limit=0', 'limit', 'integer_below_min_value'],
      ['limit=10001', 'limit', 'integer_above_max_value'],
      ['limit=ten', 'limit', 'invalid_type'],
      ['order=up', 'order', 'invalid_value'],
      ['purpose=x', 'purpose', 'invalid_value'],
      ['after=nonsense', 'after', 'invalid_value'],
      ['limt=3', 'limt', 'unknown_parameter'],
    ]
    for (const [query, param, code] of cases) {
      const response = await platform.get(`/v1/files?${query}`)
      expect([query, response.status]).toEqual([query, 400])
      expect(await errorOf(response)).toMatchObject({ type: 'invalid_request_error', param, code })
    }
  })

  it('INF-212 INF-213 takes .jsonl alone for fine-tuning and batches', async () => {
    const platform = await start()
    for (const purpose of ['fine-tune', 'batch']) {
      for (const name of ['data.json', 'data.txt', 'jsonl', 'data.jsonl.zip']) {
        const response = await platform.post('/v1/files', formOf(name, '{}', { purpose }))
        expect([name, response.status]).toEqual([name, 400])
        expect((await errorOf(response)).message).toContain('.jsonl')
      }
    }
    await waitUntil(async () => (await listBlobs(platform.kernel)).length === 0)
  })

  it('INF-209 refuses a file over 512 MB and keeps nothing of it', async () => {
    const platform = await start()
    const response = await streamFile(platform.url, platform.apiKey, 'assistants', maxFileBytes + 1)
    expect(response.status).toBe(413)
    expect(response.error).toMatchObject({ param: 'file', code: 'file_too_large' })
    await waitUntil(async () => (await listBlobs(platform.kernel)).length === 0)
  }, 120_000)

  it('INF-214 refuses a batch file over 200 MB', async () => {
    const platform = await start()
    const response = await streamFile(platform.url, platform.apiKey, 'batch', maxBatchFileBytes + 1)
    expect(response.status).toBe(400)
    expect(response.error).toMatchObject({ param: 'file', code: 'file_too_large' })
    await waitUntil(async () => (await listBlobs(platform.kernel)).length === 0)
  }, 120_000)

  it('works with the openai client 4.77.0', async () => {
    const platform = await start()
    const client = new OpenAI4({ apiKey: platform.apiKey, baseURL: `${platform.url}/v1`, maxRetries: 0 })
    const made = await client.files.create({ file: await toFile4(Buffer.from('{}\n'), 'in.jsonl'), purpose: 'batch' })
    expect(await client.files.retrieve(made.id)).toEqual(made)
    expect(await (await client.files.content(made.id)).text()).toBe('{}\n')
    const seen: string[] = []
    for await (const file of client.files.list({ limit: 1 })) seen.push(file.id)
    expect(seen).toEqual([made.id])
    expect(await client.files.del(made.id)).toEqual({ id: made.id, object: 'file', deleted: true })
    await expect(client.files.retrieve(made.id)).rejects.toBeInstanceOf(OpenAI4.NotFoundError)
  })
})

const boundary = 'atoll-test-boundary'
const formHead = (purpose: string): string =>
  `--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\n${purpose}\r\n` +
  `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="big.jsonl"\r\n\r\n`

function openUpload(url: string, key: string, length?: number) {
  return request(`${url}/v1/files`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      ...(length === undefined ? {} : { 'content-length': length }),
    },
  })
}

/** Sends a file of `size` bytes without holding it in memory. */
function streamFile(url: string, key: string, purpose: string, size: number) {
  return new Promise<{ status: number; error: unknown }>((resolve, reject) => {
    const tail = `\r\n--${boundary}--\r\n`
    const upload = openUpload(url, key, formHead(purpose).length + size + tail.length)
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    let left = size
    let answered = false
    const send = (): void => {
      while (left > 0 && !answered) {
        const piece = left >= chunk.length ? chunk : chunk.subarray(0, left)
        left -= piece.length
        if (!upload.write(piece)) {
          upload.once('drain', send)
          return
        }
      }
      if (!answered) upload.end(tail)
    }
    upload.on('response', async (response) => {
      answered = true
      const body = Buffer.concat(await response.toArray())
      resolve({ status: response.statusCode ?? 0, error: JSON.parse(body.toString()).error })
      upload.destroy()
    })
    upload.on('error', (error) => (answered ? undefined : reject(error)))
    upload.write(formHead(purpose))
    send()
  })
}

/** Sends a part of a file, then cuts the connection. */
function abandonUpload(url: string, key: string, bytes: number): Promise<void> {
  return new Promise((resolve) => {
    const upload = openUpload(url, key, 10_000_000)
    upload.on('error', () => resolve())
    upload.write(formHead('assistants') + 'x'.repeat(bytes), () => upload.destroy(new Error('gone')))
  })
}

import { createHash } from 'node:crypto'
import { ManualClock } from '@atoll/kernel/clock/clock'
import { OpenAI4, OpenAI6, toFile4, toFile6 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { describePlatform, describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { errorOf, formOf, listBlobs, patternFile, type TestResponse } from '../../testing/requests.ts'
import { waitUntil } from '../../testing/wait-until.ts'
import { maxPartBytes, maxUploadBytes } from './schema.ts'

const request = { purpose: 'batch', filename: 'big.jsonl', mime_type: 'text/jsonl' }

async function create(platform: TestPlatform, bytes: number, fields: object = {}) {
  return (await platform.post('/v1/uploads', { ...request, bytes, ...fields })).json()
}

const sendPart = (platform: TestPlatform, id: string, data: string | Uint8Array<ArrayBuffer>): Promise<TestResponse> =>
  platform.post(`/v1/uploads/${id}/parts`, formOf('blob', data, {}, 'data'))

async function addPart(platform: TestPlatform, id: string, data: string | Uint8Array<ArrayBuffer>): Promise<string> {
  return (await (await sendPart(platform, id, data)).json()).id
}

const complete = (platform: TestPlatform, id: string, part_ids: string[], fields: object = {}): Promise<TestResponse> =>
  platform.post(`/v1/uploads/${id}/complete`, { part_ids, ...fields })

const readFile = async (platform: TestPlatform, id: string): Promise<string> =>
  (await platform.get(`/v1/files/${id}/content`)).text()

describePlatform('uploads', (start) => {
  it('INF-195 INF-197 INF-220 creates a pending upload that expires in one hour', async () => {
    const platform = await start()
    const response = await platform.post('/v1/uploads', { ...request, bytes: 1000 })
    expect(response.status).toBe(200)
    const upload = await response.json()
    expect(upload).toMatchObject({
      object: 'upload',
      bytes: 1000,
      filename: 'big.jsonl',
      purpose: 'batch',
      status: 'pending',
    })
    expect(upload.id).toMatch(/^upload_/)
    expect(Number.isInteger(upload.created_at)).toBe(true)
    expect(upload.expires_at).toBe(upload.created_at + 3600)
  })

  it('INF-198 INF-199 INF-200 INF-202 INF-203 INF-205 joins parts in the order of part_ids', async () => {
    const platform = await start()
    const upload = await create(platform, 9)
    expect('file' in upload).toBe(false)
    const third = await addPart(platform, upload.id, 'GHI')
    const part = await (await sendPart(platform, upload.id, 'ABC')).json()
    expect(part).toMatchObject({ object: 'upload.part', upload_id: upload.id })
    expect(Number.isInteger(part.created_at)).toBe(true)
    const second = await addPart(platform, upload.id, 'DEF')
    const response = await complete(platform, upload.id, [part.id, second, third])
    expect(response.status).toBe(200)
    const completed = await response.json()
    expect(completed).toMatchObject({ id: upload.id, status: 'completed', file: { object: 'file', bytes: 9 } })
    const file = await (await platform.get(`/v1/files/${completed.file.id}`)).json()
    expect(file).toEqual(completed.file)
    expect(file).toMatchObject({ filename: 'big.jsonl', purpose: 'batch', bytes: 9 })
    expect(await readFile(platform, file.id)).toBe('ABCDEFGHI')
  })

  it('INF-201 takes many parts at the same time', async () => {
    const platform = await start()
    const pieces = Array.from({ length: 24 }, (_, n) => patternFile(50_000 + n, n + 1))
    const whole = Buffer.concat(pieces)
    const upload = await create(platform, whole.length)
    const ids = await Promise.all(pieces.map((piece) => addPart(platform, upload.id, piece)))
    const { file } = await (await complete(platform, upload.id, ids)).json()
    const bytes = Buffer.from(await (await platform.get(`/v1/files/${file.id}/content`)).arrayBuffer())
    expect(bytes.equals(whole)).toBe(true)
    const range = await platform.get(`/v1/files/${file.id}/content`, { range: 'bytes=49990-100020' })
    expect(Buffer.from(await range.arrayBuffer()).equals(whole.subarray(49_990, 100_021))).toBe(true)
  })

  it('INF-204 refuses a shorter or longer sum, and the upload stays usable', async () => {
    const platform = await start()
    const upload = await create(platform, 6)
    const first = await addPart(platform, upload.id, 'abc')
    const second = await addPart(platform, upload.id, 'def')
    const extra = await addPart(platform, upload.id, 'g')
    for (const ids of [[first], [first, second, extra]]) {
      const response = await complete(platform, upload.id, ids)
      expect(response.status).toBe(400)
      expect(await errorOf(response)).toMatchObject({ param: 'part_ids', code: 'bytes_mismatch' })
    }
    const done = await (await complete(platform, upload.id, [first, second])).json()
    expect(done.status).toBe('completed')
    expect(await readFile(platform, done.file.id)).toBe('abcdef')
    await waitUntil(async () => (await listBlobs(platform.kernel)).length === 2) // the unused part is gone
  })

  it('refuses unknown, foreign and repeated parts', async () => {
    const platform = await start()
    const upload = await create(platform, 2)
    const other = await create(platform, 2)
    const part = await addPart(platform, upload.id, 'a')
    const foreign = await addPart(platform, other.id, 'a')
    for (const ids of [
      [part, 'part_unknown'],
      [part, foreign],
      [part, part],
    ]) {
      const response = await complete(platform, upload.id, ids)
      expect(response.status).toBe(400)
      expect(await errorOf(response)).toMatchObject({ param: 'part_ids', code: 'invalid_value' })
    }
    const none = await complete(platform, upload.id, [])
    expect(await errorOf(none)).toMatchObject({ param: 'part_ids', code: 'empty_array' })
  })

  it('INF-206 INF-207 INF-208 allows nothing more once completed or cancelled', async () => {
    const platform = await start()
    const completed = await create(platform, 3)
    const part = await addPart(platform, completed.id, 'abc')
    await complete(platform, completed.id, [part])
    const cancelled = await create(platform, 3)
    const lost = await addPart(platform, cancelled.id, 'abc')
    const response = await platform.post(`/v1/uploads/${cancelled.id}/cancel`)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ id: cancelled.id, object: 'upload', status: 'cancelled' })
    for (const [id, parts] of [
      [completed.id, [part]],
      [cancelled.id, [lost]],
    ] as const) {
      for (const refused of [
        await sendPart(platform, id, 'xyz'),
        await complete(platform, id, [...parts]),
        await platform.post(`/v1/uploads/${id}/cancel`),
      ]) {
        expect(refused.status).toBe(400)
        expect(await errorOf(refused)).toMatchObject({ code: 'upload_not_pending' })
      }
    }
    await waitUntil(async () => (await listBlobs(platform.kernel)).length === 1)
  })

  it('expires after its hour: nothing more is accepted, bytes and quota come back', async () => {
    const clock = new ManualClock()
    const platform = await start({ clock, config: { files: { maxOrganizationBytes: 100 } } })
    const upload = await create(platform, 80)
    const part = await addPart(platform, upload.id, 'x'.repeat(80))
    expect(await errorOf(await platform.post('/v1/uploads', { ...request, bytes: 21 }))).toMatchObject({
      code: 'storage_limit_exceeded',
    })
    clock.advanceSeconds(3600)
    const late = await complete(platform, upload.id, [part])
    expect(late.status).toBe(400)
    expect((await errorOf(late)).message).toContain("'expired'")
    expect((await sendPart(platform, upload.id, 'x')).status).toBe(400)
    expect(await platform.platform.uploads.expireOverdue()).toBe(1)
    await waitUntil(async () => (await listBlobs(platform.kernel)).length === 0)
    expect(await create(platform, 100)).toMatchObject({ status: 'pending' })
  })

  it('lets only one of many completions win', async () => {
    const platform = await start()
    const upload = await create(platform, 3)
    const part = await addPart(platform, upload.id, 'abc')
    const answers = await Promise.all(Array.from({ length: 8 }, () => complete(platform, upload.id, [part])))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(7)
    expect((await (await platform.get('/v1/files')).json()).data).toHaveLength(1)
  })

  it('works with the openai clients 4.77.0 and 6.49.0', async () => {
    const platform = await start()
    const options = { apiKey: platform.apiKey, baseURL: `${platform.url}/v1`, maxRetries: 0 }
    for (const { client, toFile } of [
      { client: new OpenAI4(options), toFile: toFile4 },
      { client: new OpenAI6(options) as unknown as OpenAI4, toFile: toFile6 as unknown as typeof toFile4 },
    ]) {
      const upload = await client.uploads.create({ ...request, purpose: 'batch', bytes: 6 })
      const first = await client.uploads.parts.create(upload.id, { data: await toFile(Buffer.from('abc'), 'p') })
      const second = await client.uploads.parts.create(upload.id, { data: await toFile(Buffer.from('def'), 'p') })
      const done = await client.uploads.complete(upload.id, { part_ids: [second.id, first.id] })
      expect(done.status).toBe('completed')
      expect(await (await client.files.content(done.file!.id)).text()).toBe('defabc')
      const other = await client.uploads.create({ ...request, purpose: 'batch', bytes: 6 })
      expect((await client.uploads.cancel(other.id)).status).toBe('cancelled')
    }
  })
})

describePlatformOnSqlite('what uploads may be', (start) => {
  it('INF-196 needs mime_type where the file name does not tell the type', async () => {
    const platform = await start()
    for (const purpose of ['assistants', 'vision']) {
      const response = await platform.post('/v1/uploads', { purpose, filename: 'a.png', bytes: 1 })
      expect(response.status).toBe(400)
      expect(await errorOf(response)).toMatchObject({ param: 'mime_type', code: 'missing_required_parameter' })
    }
    for (const purpose of ['batch', 'fine-tune']) {
      expect((await platform.post('/v1/uploads', { purpose, filename: 'a.jsonl', bytes: 1 })).status).toBe(200)
    }
  })

  it('checks md5 when it is given', async () => {
    const platform = await start()
    const upload = await create(platform, 6)
    const ids = [await addPart(platform, upload.id, 'abc'), await addPart(platform, upload.id, 'def')]
    const wrong = await complete(platform, upload.id, ids, { md5: '0'.repeat(32) })
    expect(wrong.status).toBe(400)
    expect(await errorOf(wrong)).toMatchObject({ param: 'md5', code: 'md5_mismatch' })
    const malformed = await complete(platform, upload.id, ids, { md5: 'xyz' })
    expect(await errorOf(malformed)).toMatchObject({ param: 'md5' })
    const md5 = createHash('md5').update('abcdef').digest('hex')
    expect((await complete(platform, upload.id, ids, { md5 })).status).toBe(200)
  })

  it('INF-218 refuses more than 8 GB in all', async () => {
    const platform = await start()
    const fields = { purpose: 'fine-tune' }
    const response = await platform.post('/v1/uploads', { ...request, ...fields, bytes: maxUploadBytes + 1 })
    expect(response.status).toBe(400)
    expect(await errorOf(response)).toMatchObject({ param: 'bytes', code: 'integer_above_max_value' })
    expect(await create(platform, maxUploadBytes, fields)).toMatchObject({ status: 'pending', bytes: maxUploadBytes })
  })

  it('INF-219 refuses a part larger than 64 MB and keeps the upload usable', async () => {
    const platform = await start()
    const upload = await create(platform, maxPartBytes)
    const tooBig = await sendPart(platform, upload.id, Buffer.alloc(maxPartBytes + 1, 'x'))
    expect(tooBig.status).toBe(413)
    expect(await errorOf(tooBig)).toMatchObject({ param: 'data', code: 'file_too_large' })
    const part = await addPart(platform, upload.id, Buffer.alloc(maxPartBytes, 'x'))
    expect((await complete(platform, upload.id, [part])).status).toBe(200)
  }, 60_000)

  it('bounds what one upload can store before it is completed', async () => {
    const platform = await start()
    const upload = await create(platform, 1)
    const part = Buffer.alloc(maxPartBytes, 'x')
    await addPart(platform, upload.id, part)
    const refused = await sendPart(platform, upload.id, part)
    expect(await errorOf(refused)).toMatchObject({ code: 'upload_too_large' })
  }, 60_000)

  it('keep the last part of a path as the name, like files that are sent whole', async () => {
    const platform = await start()
    for (const filename of ['data/2024/big.jsonl', '..\\big.jsonl', 'big\u202e.jsonl']) {
      expect(await create(platform, 9, { filename })).toMatchObject({ status: 'pending', filename: 'big.jsonl' })
    }
  })

  it('refuses bad bodies by name and unknown uploads', async () => {
    const platform = await start()
    const cases: [object, string][] = [
      [{ bytes: 0 }, 'bytes'],
      [{ bytes: -5 }, 'bytes'],
      [{ bytes: 1.5 }, 'bytes'],
      [{ bytes: '10' }, 'bytes'],
      [{ bytes: 1, filename: '' }, 'filename'],
      [{ bytes: 1, filename: 'a.txt' }, 'filename'],
      [{ bytes: 1, filename: 'a/..', purpose: 'vision' }, 'filename'],
      [{ bytes: 201 * 1024 * 1024 }, 'bytes'],
      [{ bytes: 1, purpose: 'batch_output' }, 'purpose'],
      [{ bytes: 1, mime_type: 'nonsense' }, 'mime_type'],
      [{ bytes: 1, colour: 'red' }, 'colour'],
      [{}, 'bytes'],
    ]
    for (const [fields, param] of cases) {
      const response = await platform.post('/v1/uploads', { ...request, ...fields })
      expect([fields, response.status]).toEqual([fields, 400])
      expect(await errorOf(response)).toMatchObject({ param, type: 'invalid_request_error' })
    }
    for (const refused of [
      await sendPart(platform, 'upload_unknown', 'x'),
      await complete(platform, 'upload_unknown', ['part_x']),
      await platform.post('/v1/uploads/upload_unknown/cancel'),
    ]) {
      expect(refused.status).toBe(404)
    }
  })
})

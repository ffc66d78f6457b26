import { expect, it } from 'vitest'
import { describePlatform } from '../../../testing/describe-platform.ts'
import { errorOf } from '../../../testing/requests.ts'
import { waitUntil } from '../../../testing/wait-until.ts'
import { refusal } from '../testing/refusal.ts'
import { StoreRequests } from '../testing/store-requests.ts'
import { WordEmbeddings } from '../testing/word-embeddings.ts'

const sizes = (max_chunk_size_tokens: number, chunk_overlap_tokens: number) => ({
  type: 'static',
  static: { max_chunk_size_tokens, chunk_overlap_tokens },
})

describePlatform('a file of a vector store', (start) => {
  const begin = async (embeddings = new WordEmbeddings()): Promise<StoreRequests> =>
    new StoreRequests(await start({ runtimes: embeddings.runtimes }))

  it('AST-115 AST-116 AST-117 AST-118 AST-120 is attached, in progress first and completed then', async () => {
    const gate = Promise.withResolvers<void>()
    const embeddings = new WordEmbeddings()
    embeddings.before = () => gate.promise
    const requests = await begin(embeddings)
    const { id: storeId } = await requests.create()
    const fileId = await requests.addText('coral.txt', 'Corals are animals.')
    const attached = await requests.attach(storeId, { file_id: fileId })
    expect(attached).toEqual({
      ...{ id: fileId, object: 'vector_store.file', created_at: expect.any(Number), usage_bytes: 0 },
      ...{ vector_store_id: storeId, status: 'in_progress', last_error: null, chunking_strategy: sizes(800, 400) },
      attributes: {},
    })
    expect(await requests.store(storeId)).toMatchObject({ status: 'in_progress', file_counts: { in_progress: 1 } })
    expect(await requests.file(storeId, fileId)).toEqual(attached)
    gate.resolve()
    await requests.settled(storeId)
    const usage_bytes = 'Corals are animals.'.length + 512 * 4
    expect(await requests.file(storeId, fileId)).toEqual({ ...attached, status: 'completed', usage_bytes })
    expect(await requests.store(storeId)).toMatchObject({ usage_bytes, bytes: usage_bytes })
  })

  it('AST-117 is cut as its strategy says', async () => {
    const embeddings = new WordEmbeddings()
    const requests = await begin(embeddings)
    const text = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ')
    const fileId = await requests.addText('words.txt', text)
    const { id } = await requests.create()
    const chunking_strategy = sizes(100, 50)
    expect(await requests.attach(id, { file_id: fileId, chunking_strategy })).toMatchObject({ chunking_strategy })
    await requests.settled(id)
    const small = embeddings.texts.splice(0)
    expect(small.length).toBeGreaterThan(4)
    for (const chunk of small) expect(chunk.split(/\s+/).length).toBeLessThanOrEqual(100)
    const auto = await requests.create({ file_ids: [fileId], chunking_strategy: { type: 'auto' } })
    await requests.settled(auto.id)
    expect(embeddings.texts.length).toBeLessThan(small.length)
    expect(await requests.file(auto.id, fileId)).toMatchObject({ chunking_strategy: sizes(800, 400) })
  })

  it('AST-119 is listed in the order in which files were attached, a page at a time, also by status', async () => {
    const requests = await begin()
    const ids: string[] = []
    for (const name of ['1', '2', '3', '4', '5']) ids.push(await requests.addText(`${name}.txt`, name))
    const names = (found: readonly { id: string }[]): string => found.map(({ id }) => ids.indexOf(id) + 1).join('')
    const { id } = await requests.create()
    // Not in the order of their uploads.
    for (const file_id of [3, 1, 5, 2, 4].map((number) => ids[number - 1])) await requests.attach(id, { file_id })
    const page = async (query: string): Promise<string> => {
      const list = await requests.files(id, query)
      expect([list.first_id, list.last_id]).toEqual([list.data[0]?.id ?? null, list.data.at(-1)?.id ?? null])
      return names(list.data)
    }
    expect(await page('')).toBe('42513')
    expect(await page('?order=asc&limit=2')).toBe('31')
    expect(await page(`?limit=2&after=${ids[1]}`)).toBe('51')
    expect(await page(`?limit=2&before=${ids[0]}`)).toBe('25')
    expect(await page(`?after=${ids[2]}`)).toBe('')
    await requests.settled(id)
    expect(await page('?filter=completed')).toBe('42513')
    expect(await page('?filter=failed')).toBe('')
    // Programs delete what they page through.
    await requests.call('DELETE', `/${id}/files/${ids[1]}`)
    expect(await page(`?limit=2&after=${ids[1]}`)).toBe('51')
    expect(await page('')).toBe('4513')
    for (const [query, param] of [
      ['?after=file-unknown', 'after'],
      ['?before=x', 'before'],
      ['?filter=lost', 'filter'],
      ['?limit=101', 'limit'],
      ['?limit=0', 'limit'],
      ['?order=up', 'order'],
    ] as const) {
      expect(await refusal(requests.platform, 'GET', `/${id}/files${query}`)).toMatchObject({ status: 400, param })
    }
  })

  it('AST-121 AST-122 is removed from the store only', async () => {
    const requests = await begin()
    const fileId = await requests.addText('coral.txt', 'Corals are animals.')
    const { id } = await requests.create({ file_ids: [fileId] })
    await requests.settled(id)
    expect((await requests.search(id, { query: 'corals' })).data.length).toBe(1)
    const deleted = { id: fileId, object: 'vector_store.file.deleted', deleted: true }
    expect(await requests.call('DELETE', `/${id}/files/${fileId}`)).toEqual(deleted)
    expect((await requests.search(id, { query: 'corals' })).data).toEqual([])
    const missing = { status: 404, message: `No file found with id '${fileId}'.`, param: null, code: null }
    expect(await refusal(requests.platform, 'GET', `/${id}/files/${fileId}`)).toMatchObject(missing)
    expect(await refusal(requests.platform, 'DELETE', `/${id}/files/${fileId}`)).toMatchObject(missing)
    expect(await requests.store(id)).toMatchObject({ usage_bytes: 0, file_counts: { total: 0 } })
    expect(await (await requests.platform.get(`/v1/files/${fileId}/content`)).text()).toBe('Corals are animals.')
    await requests.attach(id, { file_id: fileId })
    await requests.settled(id)
    expect((await requests.search(id, { query: 'corals' })).data.length).toBe(1)
  })

  it('AST-122 goes from all stores when the file itself is deleted', async () => {
    const requests = await begin()
    const fileId = await requests.addText('coral.txt', 'Corals are animals.')
    const stores = [await requests.create({ file_ids: [fileId] }), await requests.create({ file_ids: [fileId] })]
    for (const { id } of stores) await requests.settled(id)
    expect((await requests.platform.delete(`/v1/files/${fileId}`)).status).toBe(200)
    for (const { id } of stores) {
      expect(await refusal(requests.platform, 'GET', `/${id}/files/${fileId}`)).toMatchObject({ status: 404 })
      expect((await requests.search(id, { query: 'corals' })).data).toEqual([])
      expect(await requests.store(id)).toMatchObject({ usage_bytes: 0, file_counts: { total: 0 } })
    }
  })

  it('is there once, however often it is attached, and begins again when asked for other chunks', async () => {
    const embeddings = new WordEmbeddings()
    const requests = await begin(embeddings)
    const file_id = await requests.addText('coral.txt', 'Corals are animals.')
    const { id } = await requests.create({ file_ids: [file_id, file_id] })
    const done = await requests.settled(id)
    expect(done.file_counts).toMatchObject({ completed: 1, total: 1 })
    const first = await requests.file(id, file_id)
    expect(await requests.attach(id, { file_id })).toEqual(first)
    expect(await requests.attach(id, { file_id, chunking_strategy: { type: 'auto' } })).toEqual(first)
    expect(embeddings.texts.length).toBe(1)
    const other = await requests.attach(id, { file_id, chunking_strategy: sizes(200, 0) })
    expect(other).toMatchObject({ status: 'in_progress', usage_bytes: 0, chunking_strategy: sizes(200, 0) })
    expect((await requests.settled(id)).usage_bytes).toBe(done.usage_bytes)
    expect((await requests.search(id, { query: 'corals' })).data.length).toBe(1)
  })

  it('tells why it could not be used, and can be attached again', async () => {
    const requests = await begin()
    const binary = new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 255, 254, 0, 3])
    const { id: fileId } = await requests.platform.addFile('program.bin', binary)
    const { id } = await requests.create({ file_ids: [fileId] })
    const store = await requests.settled(id)
    expect(store).toMatchObject({ status: 'completed', usage_bytes: 0, file_counts: { failed: 1, total: 1 } })
    const last_error = { code: 'unsupported_file', message: expect.stringMatching(/./) }
    expect(await requests.file(id, fileId)).toMatchObject({ status: 'failed', usage_bytes: 0, last_error })
    expect((await requests.files(id, '?filter=failed')).data.map((file) => file.id)).toEqual([fileId])
    expect(await requests.attach(id, { file_id: fileId })).toMatchObject({
      status: 'in_progress',
      last_error: null,
      attributes: {},
    })
    expect((await requests.settled(id)).file_counts).toMatchObject({ failed: 1, total: 1 })
  })

  it('is given up at once when it is removed while it is worked on', async () => {
    const embeddings = new WordEmbeddings()
    const begun = Promise.withResolvers<void>()
    const left = Promise.withResolvers<unknown>()
    embeddings.before = (_, signal) =>
      new Promise((_resolve, reject) => {
        begun.resolve()
        signal.addEventListener('abort', () => {
          left.resolve(signal.reason)
          reject(signal.reason)
        })
      })
    const requests = await begin(embeddings)
    const fileId = await requests.addText('coral.txt', 'Corals are animals.')
    const { id } = await requests.create({ file_ids: [fileId] })
    const { jobs } = requests.platform.kernel
    await begun.promise
    await requests.call('DELETE', `/${id}/files/${fileId}`)
    await left.promise
    await waitUntil(async () => (await jobs.counts()).running === 0)
    expect(await requests.store(id)).toMatchObject({ status: 'completed', file_counts: { total: 0 } })
  })

  it('cannot be one of more than 10,000 in a store', async () => {
    const requests = await begin()
    const { id } = await requests.create()
    const fileId = await requests.addText('coral.txt', 'Corals are animals.')
    await fillStore(requests, id, 9_999)
    expect(await requests.attach(id, { file_id: fileId })).toMatchObject({ status: 'in_progress' })
    const one = await requests.addText('fish.txt', 'Fish.')
    const refused = { status: 400, code: 'too_many_files', message: expect.stringContaining('10000') }
    expect(await refusal(requests.platform, 'POST', `/${id}/files`, { file_id: one })).toMatchObject(refused)
    expect(await refusal(requests.platform, 'POST', `/${id}/file_batches`, { file_ids: [one] })).toMatchObject(refused)
  })

  it('needs a file that is there', async () => {
    const requests = await begin()
    const { id } = await requests.create()
    const missing = { status: 404, message: "No file found with id 'file-x'." }
    const { platform } = requests
    expect(await refusal(platform, 'POST', `/${id}/files`, { file_id: 'file-x' })).toMatchObject(missing)
    expect(await refusal(platform, 'GET', `/${id}/files/file-x`)).toMatchObject(missing)
    expect(await refusal(platform, 'POST', `/${id}/files`, {})).toMatchObject({ status: 400, param: 'file_id' })
    const more = await platform.post(`/v1/vector_stores/${id}/files`, { file_id: 'file-x', colour: 'blue' })
    expect((await errorOf(more)).param).toBe('colour')
    expect(await refusal(platform, 'POST', '/vs_x/files', { file_id: 'file-x' })).toMatchObject({
      message: "No vector store found with id 'vs_x'.",
    })
  })
})

/** Rows of finished files, without the work. */
async function fillStore({ platform }: StoreRequests, storeId: string, count: number): Promise<void> {
  const { db, ids } = platform.kernel
  const rows = Array.from({ length: count }, (_, index) => ({
    ...{ id: ids.next('vsf_'), position: index, store_id: storeId, file_id: `file-${index}`, batch_id: null },
    ...{ caller: '{}', created_at: 0, status: 'completed' as const, error: null, chunk_tokens: 800 },
    ...{ overlap_tokens: 400, chunks: 0, usage_bytes: 0, failures: 0, removed_at: null },
  }))
  for (let at = 0; at < count; at += 1000) {
    await db.queries
      .insertInto('vector_store_files')
      .values(rows.slice(at, at + 1000))
      .execute()
  }
}

import { OpenAI7 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { describePlatform } from '../../../testing/describe-platform.ts'
import { checkPublished } from '../../../testing/published-schemas.ts'
import { waitUntil } from '../../../testing/wait-until.ts'
import type { VectorStoreFileObject } from '../files/schema.ts'
import { refusal } from '../testing/refusal.ts'
import { type List, StoreRequests } from '../testing/store-requests.ts'
import { WordEmbeddings } from '../testing/word-embeddings.ts'
import type { FileBatchObject } from './schema.ts'

const sizes = (max_chunk_size_tokens: number, chunk_overlap_tokens: number) => ({
  type: 'static' as const,
  static: { max_chunk_size_tokens, chunk_overlap_tokens },
})
const counts = (some: object) => ({ in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: 0, ...some })

describePlatform('a batch of files for a vector store', (start) => {
  const begin = async (embeddings = new WordEmbeddings()): Promise<StoreRequests> =>
    new StoreRequests(await start({ runtimes: embeddings.runtimes }))
  const addTexts = async (requests: StoreRequests, count: number): Promise<string[]> => {
    const ids: string[] = []
    for (let index = 0; index < count; index++) ids.push(await requests.addText(`${index}.txt`, `Text ${index}`))
    return ids
  }
  const ended = async (requests: StoreRequests, { id, vector_store_id }: FileBatchObject): Promise<FileBatchObject> => {
    let batch = await requests.batch(vector_store_id, id)
    await waitUntil(async () => {
      batch = await requests.batch(vector_store_id, id)
      return batch.status !== 'in_progress' && batch.status !== 'cancelling'
    })
    return batch
  }

  it('AST-123 AST-124 AST-128 AST-129 AST-130 is created, watched and completed, under both spellings', async () => {
    const requests = await begin()
    const { id: storeId } = await requests.create()
    for (const spelling of ['file_batches', 'files_batches']) {
      const file_ids = await addTexts(requests, 3)
      const batch = await requests.call<FileBatchObject>('POST', `/${storeId}/${spelling}`, { file_ids })
      checkPublished('VectorStoreFileBatchObject', batch)
      expect(batch).toEqual({
        ...{ id: expect.stringMatching(/^vsfb_/), object: 'vector_store.files_batch', created_at: expect.any(Number) },
        ...{ vector_store_id: storeId, status: 'in_progress', file_counts: counts({ in_progress: 3, total: 3 }) },
      })
      const done = await ended(requests, batch)
      expect(done).toEqual({ ...batch, status: 'completed', file_counts: counts({ completed: 3, total: 3 }) })
      expect(await requests.call('GET', `/${storeId}/${spelling}/${batch.id}`)).toEqual(done)
    }
    expect((await requests.settled(storeId)).file_counts.completed).toBe(6)
  })

  it('AST-127 lists its own files, a page at a time, also by status', async () => {
    const requests = await begin()
    const { id: storeId } = await requests.create({ file_ids: await addTexts(requests, 2) })
    const ids = await addTexts(requests, 4)
    const batch = await requests.call<FileBatchObject>('POST', `/${storeId}/file_batches`, { file_ids: ids })
    await ended(requests, batch)
    for (const spelling of ['file_batches', 'files_batches']) {
      const page = async (query: string): Promise<string> => {
        const path = `/${storeId}/${spelling}/${batch.id}/files${query}`
        const list = await requests.call<List<VectorStoreFileObject>>('GET', path)
        checkPublished('ListVectorStoreFilesResponse', list)
        return list.data.map(({ id }) => ids.indexOf(id)).join('')
      }
      expect(await page('')).toBe('3210')
      expect(await page('?order=asc')).toBe('0123')
      expect(await page(`?limit=2&after=${ids[3]}`)).toBe('21')
      expect(await page(`?limit=2&before=${ids[0]}`)).toBe('21')
      expect(await page('?filter=completed&limit=1')).toBe('3')
      expect(await page('?filter=cancelled')).toBe('')
    }
  })

  it('AST-125 AST-126 AST-130 stops the remaining files at once when it is cancelled; finished ones stay', async () => {
    const embeddings = new WordEmbeddings()
    let [begun, stopped] = [0, 0]
    embeddings.before = (texts, signal) => {
      if (texts.some((text) => text.endsWith('\nText 0'))) return
      begun++
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          stopped++
          reject(signal.reason)
        })
      })
    }
    const requests = await begin(embeddings)
    const { id: storeId } = await requests.create()
    const file_ids = await addTexts(requests, 20)
    const created = await requests.call<FileBatchObject>('POST', `/${storeId}/file_batches`, { file_ids })
    await waitUntil(async () => (await requests.batch(storeId, created.id)).file_counts.completed === 1)
    await waitUntil(async () => begun > 0)
    const path = `/${storeId}/files_batches/${created.id}`
    const cancelled = await requests.call<FileBatchObject>('POST', `${path}/cancel`)
    checkPublished('VectorStoreFileBatchObject', cancelled)
    const file_counts = counts({ completed: 1, cancelled: 19, total: 20 })
    expect(cancelled).toEqual({ ...created, status: 'cancelling', file_counts })
    expect(await ended(requests, created)).toEqual({ ...created, status: 'cancelled', file_counts })
    const { jobs } = requests.platform.kernel
    await waitUntil(async () => {
      const { waiting, running } = await jobs.counts()
      return waiting + running === 0
    })
    expect(stopped).toBeGreaterThan(0)
    expect(embeddings.texts).toEqual([expect.stringMatching(/\nText 0$/)])
    expect(await requests.store(storeId)).toMatchObject({ status: 'completed', file_counts })
    const list = await requests.call<List<VectorStoreFileObject>>('GET', `${path}/files?filter=cancelled&limit=100`)
    expect(list.data.length).toBe(19)
    expect(await requests.call('POST', `${path}/cancel`)).toMatchObject({ status: 'cancelled' })
    // What was cancelled can be added once more.
    embeddings.before = () => undefined
    expect(await requests.attach(storeId, { file_id: file_ids[1] })).toMatchObject({ status: 'in_progress' })
    expect((await requests.settled(storeId)).file_counts).toMatchObject({ completed: 2, cancelled: 18 })
  })

  it('AST-125 cannot be cancelled once it has ended', async () => {
    const requests = await begin()
    const { id: storeId } = await requests.create()
    const body = { file_ids: await addTexts(requests, 1) }
    const batch = await requests.call<FileBatchObject>('POST', `/${storeId}/file_batches`, body)
    await ended(requests, batch)
    const path = `/${storeId}/file_batches/${batch.id}/cancel`
    expect(await refusal(requests.platform, 'POST', path)).toMatchObject({
      ...{ status: 400, message: expect.stringContaining("'completed'") },
    })
  })

  it('has failed when all of its files have', async () => {
    const requests = await begin()
    const { id: storeId } = await requests.create()
    const { id } = await requests.platform.addFile(
      'program.bin',
      new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 255, 1, 0]),
    )
    const path = `/${storeId}/file_batches`
    const bad = await ended(requests, await requests.call('POST', path, { file_ids: [id] }))
    expect(bad).toMatchObject({ status: 'failed', file_counts: { failed: 1, total: 1 } })
    const file_ids = [id, ...(await addTexts(requests, 1))]
    const half = await ended(requests, await requests.call('POST', path, { file_ids }))
    expect(half).toMatchObject({ status: 'completed', file_counts: { failed: 1, completed: 1, total: 2 } })
  })

  it('counts files that were in the store already', async () => {
    const requests = await begin()
    const file_ids = await addTexts(requests, 2)
    const { id } = await requests.create({ file_ids })
    await requests.settled(id)
    const batch = await requests.call<FileBatchObject>('POST', `/${id}/file_batches`, {
      file_ids: [...file_ids, file_ids[0]],
    })
    expect(batch).toMatchObject({ status: 'completed', file_counts: counts({ completed: 2, total: 2 }) })
  })

  it('AST-123 gives each file attributes and chunk sizes of its own, which searches go by', async () => {
    const requests = await begin()
    const { url, apiKey } = requests.platform
    const { vectorStores } = new OpenAI7({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 })
    const { id: storeId } = await requests.create()
    const [first = '', second = '', third = ''] = await addTexts(requests, 3)
    const batch = await vectorStores.fileBatches.createAndPoll(
      storeId,
      {
        files: [
          { file_id: first, attributes: { region: 'eu', year: 2023 }, chunking_strategy: sizes(200, 50) },
          { file_id: second, attributes: { region: 'us', open: true }, chunking_strategy: { type: 'auto' } },
          { file_id: third, attributes: null },
        ],
        // For `file_ids` only.
        attributes: { region: 'everywhere' },
        chunking_strategy: sizes(300, 0),
      },
      { pollIntervalMs: 50 },
    )
    expect(batch).toMatchObject({ status: 'completed', file_counts: counts({ completed: 3, total: 3 }) })
    const listed: unknown[] = []
    const inBatch = { vector_store_id: storeId, order: 'asc' as const }
    for await (const { id, attributes, chunking_strategy } of vectorStores.fileBatches.listFiles(batch.id, inBatch)) {
      listed.push([id, attributes, chunking_strategy])
    }
    expect(listed).toEqual([
      [first, { region: 'eu', year: 2023 }, sizes(200, 50)],
      [second, { region: 'us', open: true }, sizes(800, 400)],
      [third, {}, sizes(800, 400)],
    ])
    const found = async (key: string, value: string | number | boolean): Promise<string[]> => {
      const search = { query: 'text', filters: { type: 'eq' as const, key, value } }
      return (await vectorStores.search(storeId, search)).data.map(({ file_id }) => file_id)
    }
    expect(await found('region', 'eu')).toEqual([first])
    expect(await found('open', true)).toEqual([second])
    expect(await found('year', 2024)).toEqual([])
    expect(await found('region', 'everywhere')).toEqual([])
  })

  it('describes files that are in the store already, and begins again those that are to have other chunks', async () => {
    const embeddings = new WordEmbeddings()
    const requests = await begin(embeddings)
    const [first = '', second = '', third = ''] = await addTexts(requests, 3)
    const { id } = await requests.create()
    await requests.call('POST', `/${id}/file_batches`, { file_ids: [first, second, third], attributes: { old: true } })
    await requests.settled(id)
    expect(embeddings.texts.splice(0).length).toBe(3)
    const files = [
      { file_id: third, attributes: { n: 3 } },
      { file_id: first, attributes: { n: 1 } },
      { file_id: second, chunking_strategy: sizes(100, 0), attributes: { n: 2 } },
      // The same once more.
      { file_id: third, attributes: { n: 3 } },
    ]
    const batch = await requests.call<FileBatchObject>('POST', `/${id}/file_batches`, { files })
    expect(batch.file_counts).toEqual(counts({ in_progress: 1, completed: 2, total: 3 }))
    await ended(requests, batch)
    expect(embeddings.texts).toEqual([expect.stringMatching(/\nText 1$/)])
    const shown = await Promise.all([first, second, third].map((fileId) => requests.file(id, fileId)))
    expect(shown).toMatchObject([
      { attributes: { n: 1 }, chunking_strategy: sizes(800, 400) },
      { attributes: { n: 2 }, chunking_strategy: sizes(100, 0) },
      { attributes: { n: 3 }, chunking_strategy: sizes(800, 400) },
    ])
    // Given none, they keep what they have; given an empty set, they have none.
    const later = { files: [{ file_id: first }, { file_id: second, attributes: {} }] }
    await ended(requests, await requests.call('POST', `/${id}/file_batches`, later))
    expect((await requests.file(id, first)).attributes).toEqual({ n: 1 })
    expect(await requests.file(id, second)).toMatchObject({ attributes: {}, chunking_strategy: sizes(100, 0) })
    expect(embeddings.texts.length).toBe(1)
  })

  it('refuses files with options where one of them is wrong, naming the place, and adds none', async () => {
    const requests = await begin()
    const { id } = await requests.create()
    const [fileId = '', another = ''] = await addTexts(requests, 2)
    const one = { file_id: fileId, attributes: { a: 1, b: 'x' }, chunking_strategy: { type: 'auto' } }
    const image = await requests.platform.addFile('a.png', 'x', 'vision')
    const long = { ['x'.repeat(65)]: 1 }
    const cases: [object, string, string][] = [
      [{ files: [] }, 'files', 'empty array'],
      [{ files: [one], file_ids: [fileId] }, 'files', "beside 'file_ids'"],
      [{ files: [one, {}] }, 'files[1].file_id', 'Missing'],
      [{ files: [one, { file_id: '' }] }, 'files[1].file_id', 'length'],
      [{ files: [one, fileId] }, 'files[1]', 'expected an object'],
      [{ files: [one, { ...one, colour: 'blue' }] }, 'files[1].colour', 'Unknown'],
      [{ files: [one, { file_id: another, attributes: { x: {} } }] }, 'files[1].attributes.x', 'type'],
      [{ files: [one, { file_id: another, attributes: long }] }, `files[1].attributes.${'x'.repeat(65)}`, 'length'],
      [
        { files: [one, { file_id: another, chunking_strategy: sizes(100, 60) }] },
        ...(['files[1].chunking_strategy.static.chunk_overlap_tokens', 'half'] as const),
      ],
      [{ files: [one, { ...one, attributes: { a: 2 } }] }, 'files[1].file_id', 'files[0]'],
      [{ files: [one, { ...one, chunking_strategy: sizes(200, 0) }] }, 'files[1].file_id', 'files[0]'],
      [{ files: [one, { file_id: fileId }] }, 'files[1].file_id', 'files[0]'],
      [{ files: [one, { file_id: image.id }] }, 'files[1].file_id', "the purpose 'vision'"],
    ]
    for (const [body, param, words] of cases) {
      expect(await refusal(requests.platform, 'POST', `/${id}/file_batches`, body)).toMatchObject({
        ...{ status: 400, param, message: expect.stringContaining(words) },
      })
    }
    const missing = { files: [one, { file_id: another }, { file_id: 'file-x' }] }
    expect(await refusal(requests.platform, 'POST', `/${id}/file_batches`, missing)).toMatchObject({
      ...{ status: 404, param: 'files[2].file_id', message: "No file found with id 'file-x'." },
    })
    expect((await requests.files(id)).data).toEqual([])
    const reordered = { ...one, attributes: { b: 'x', a: 1 } }
    const batch = await requests.call<FileBatchObject>('POST', `/${id}/file_batches`, { files: [one, reordered] })
    expect(batch.file_counts.total).toBe(1)
  })

  it('may have 2,000 files, each with all the attributes that it may have', async () => {
    const requests = await begin()
    const { id } = await requests.create()
    const attributes = Object.fromEntries(
      Array.from({ length: 16 }, (_, n) => [`${n}`.padEnd(64, 'k'), 'v'.repeat(512)]),
    )
    const files = Array.from({ length: 2_000 }, (_, n) => ({ file_id: `file-${n}`, attributes }))
    const path = `/${id}/file_batches`
    const unknown = { status: 404, param: 'files[0].file_id' }
    expect(await refusal(requests.platform, 'POST', path, { files })).toMatchObject(unknown)
    const tooMany = { status: 400, message: expect.stringContaining('<= 2000') }
    const more = files.map(({ file_id }) => ({ file_id })).concat({ file_id: 'file-more' })
    expect(await refusal(requests.platform, 'POST', path, { files: more })).toMatchObject({
      ...tooMany,
      param: 'files',
    })
    const file_ids = more.map(({ file_id }) => file_id)
    expect(await refusal(requests.platform, 'POST', path, { file_ids })).toMatchObject({
      ...tooMany,
      param: 'file_ids',
    })
    expect(await refusal(requests.platform, 'POST', path, { file_ids: file_ids.slice(1) })).toMatchObject({
      status: 404,
    })
  })

  it('refuses what is beyond its limits', async () => {
    const requests = await begin()
    const { id } = await requests.create()
    const chunking_strategy = { type: 'static', static: { max_chunk_size_tokens: 100, chunk_overlap_tokens: 60 } }
    const cases: [object, string][] = [
      [{}, 'file_ids'],
      [{ file_ids: [] }, 'file_ids'],
      [{ file_ids: [1] }, 'file_ids[0]'],
      [{ file_ids: ['file-x'], chunking_strategy }, 'chunking_strategy.static.chunk_overlap_tokens'],
      [{ file_ids: ['file-x'], name: 'x' }, 'name'],
    ]
    for (const [body, param] of cases) {
      expect(await refusal(requests.platform, 'POST', `/${id}/file_batches`, body)).toMatchObject({
        status: 400,
        param,
      })
    }
    const { platform } = requests
    const missing = { status: 404, message: "No file batch found with id 'vsfb_x'.", param: null, code: null }
    for (const path of ['', '/files']) {
      expect(await refusal(platform, 'GET', `/${id}/files_batches/vsfb_x${path}`)).toMatchObject(missing)
    }
    expect(await refusal(platform, 'POST', `/${id}/files_batches/vsfb_x/cancel`)).toMatchObject(missing)
    expect(await refusal(platform, 'POST', `/${id}/file_batches`, { file_ids: ['file-x'] })).toMatchObject({
      ...{ status: 404, message: "No file found with id 'file-x'." },
    })
  })
})

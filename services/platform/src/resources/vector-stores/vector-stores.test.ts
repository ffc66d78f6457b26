import { ManualClock } from '@atoll/kernel/clock/clock'
import { type CompiledStatement, compiledStatements } from '@atoll/kernel/db/statements'
import { expect, it, onTestFinished } from 'vitest'
import { describePlatform } from '../../testing/describe-platform.ts'
import { checkPublished } from '../../testing/published-schemas.ts'
import { errorOf } from '../../testing/requests.ts'
import { waitUntil } from '../../testing/wait-until.ts'
import type { VectorStoreObject } from './schema.ts'
import { refusal } from './testing/refusal.ts'
import { type List, StoreRequests } from './testing/store-requests.ts'
import { WordEmbeddings } from './testing/word-embeddings.ts'

const daySeconds = 24 * 3600

describePlatform('a vector store', (start) => {
  const begin = async (options: { clock?: ManualClock; embeddings?: WordEmbeddings } = {}): Promise<StoreRequests> => {
    const { clock, embeddings = new WordEmbeddings() } = options
    return new StoreRequests(await start({ runtimes: embeddings.runtimes, ...(clock ? { clock } : {}) }))
  }

  it('AST-106 AST-107 AST-108 AST-109 AST-110 is created with files, and is completed when they are', async () => {
    const requests = await begin()
    const file_ids = [await requests.addText('a.txt', 'Corals are animals.'), await requests.addText('b.md', '# Fish')]
    const description = 'What lives in the sea.'
    const created = await requests.create({ name: 'Sea', description, file_ids, metadata: { topic: 'sea' } })
    expect(created).toMatchObject({
      id: expect.stringMatching(/^vs_/),
      object: 'vector_store',
      name: 'Sea',
      description,
    })
    expect(created.file_counts.total).toBe(2)
    const store = await requests.settled(created.id)
    expect(store).toEqual({
      ...created,
      status: 'completed',
      file_counts: { in_progress: 0, completed: 2, failed: 0, cancelled: 0, total: 2 },
      usage_bytes: store.usage_bytes,
      bytes: store.usage_bytes,
      expires_at: null,
      last_active_at: created.created_at,
      last_used_at: created.created_at,
      metadata: { topic: 'sea' },
    })
    expect(store.usage_bytes).toBeGreaterThan(2 * 512 * 4)
  })

  it('AST-106 AST-107 can be empty and without a name', async () => {
    const requests = await begin()
    expect(await requests.create({})).toMatchObject({
      ...{ name: '', description: null, status: 'completed', usage_bytes: 0, bytes: 0, metadata: {} },
      file_counts: { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: 0 },
    })
    expect(await requests.create({ name: '', file_ids: [], metadata: null, expires_after: null })).toMatchObject({
      ...{ name: '', metadata: {}, expires_at: null },
    })
  })

  it('AST-111 is listed, newest first, a page at a time', async () => {
    const requests = await begin()
    const stores: VectorStoreObject[] = []
    for (const name of ['1', '2', '3', '4', '5']) stores.push(await requests.create({ name }))
    const page = async (query: string): Promise<string[]> => {
      const list = await requests.call<List<VectorStoreObject>>('GET', query)
      checkPublished('ListVectorStoresResponse', list)
      expect([list.first_id, list.last_id]).toEqual([list.data[0]?.id ?? null, list.data.at(-1)?.id ?? null])
      return list.data.map(({ name }) => name ?? '')
    }
    expect(await page('?limit=2')).toEqual(['5', '4'])
    expect(await page(`?limit=2&after=${stores[3]?.id}`)).toEqual(['3', '2'])
    expect(await page(`?after=${stores[0]?.id}`)).toEqual([])
    expect(await page(`?limit=2&before=${stores[0]?.id}`)).toEqual(['3', '2'])
    expect(await page('?order=asc')).toEqual(['1', '2', '3', '4', '5'])
  })

  it('AST-112 AST-113 is retrieved and modified', async () => {
    const clock = new ManualClock()
    const requests = await begin({ clock })
    const { id, created_at } = await requests.create({ name: 'old', metadata: { a: '1' } })
    clock.advanceSeconds(100)
    const policy = { anchor: 'last_active_at', days: 3 }
    const changed = await requests.call('POST', `/${id}`, { name: 'new', expires_after: policy })
    expect(changed).toMatchObject({ id, name: 'new', metadata: { a: '1' }, expires_after: policy, created_at })
    expect(await requests.store(id)).toEqual(changed)
    expect(changed).toMatchObject({ expires_at: created_at + 100 + 3 * daySeconds, last_active_at: created_at + 100 })
    const cleared = await requests.call<object>('POST', `/${id}`, { name: null, expires_after: null, metadata: {} })
    expect(cleared).toMatchObject({ name: '', expires_at: null, metadata: {} })
    expect(cleared).not.toHaveProperty('expires_after')
  })

  it('AST-114 is deleted with all that was made of its files, and its files stay', async () => {
    const requests = await begin()
    const fileId = await requests.addText('a.txt', 'Corals are animals.')
    const { id } = await requests.create({ file_ids: [fileId] })
    await requests.settled(id)
    expect(await requests.call('DELETE', `/${id}`)).toEqual({ id, object: 'vector_store.deleted', deleted: true })
    const again = await requests.platform.get(`/v1/vector_stores/${id}`)
    expect([again.status, (await errorOf(again)).message]).toEqual([404, `No vector store found with id '${id}'.`])
    expect((await requests.platform.get(`/v1/files/${fileId}`)).status).toBe(200)
    const { queries } = requests.platform.kernel.db
    expect(await queries.selectFrom('vector_store_files').selectAll().execute()).toEqual([])
    await waitUntil(async () => (await queries.selectFrom('vector_chunks').selectAll().execute()).length === 0)
  })

  it('is the same with and without the header of the assistants interface', async () => {
    const { platform } = await begin()
    for (const headers of [{}, { 'openai-beta': 'assistants=v2' }, { 'vendor-beta': 'assistants=v1' }]) {
      expect((await platform.post('/v1/vector_stores', { name: 'x' }, headers as Record<string, string>)).status).toBe(
        200,
      )
    }
  })

  it('belongs to its project alone', async () => {
    const requests = await begin()
    const fileId = await requests.addText('a.txt', 'Corals are animals.')
    const { id } = await requests.create({ file_ids: [fileId] })
    const other = await requests.platform.addProject('other')
    const own = await (await other.post('/v1/vector_stores', {})).json()
    const tries: [string, string, object?][] = [
      ['GET', `/${id}`],
      ['POST', `/${id}`, { name: 'mine' }],
      ['DELETE', `/${id}`],
      ['POST', `/${id}/search`, { query: 'corals' }],
      ['GET', `/${id}/files`],
      ['GET', `/${id}/files/${fileId}`],
      ['DELETE', `/${id}/files/${fileId}`],
      ['POST', `/${id}/files`, { file_id: fileId }],
      ['POST', `/${id}/file_batches`, { file_ids: [fileId] }],
      ['GET', `/${id}/file_batches/vsfb_x`],
      ['POST', `/${own.id}/files`, { file_id: fileId }],
      ['POST', '', { file_ids: [fileId] }],
    ]
    for (const [method, path, body] of tries)
      expect(await refusal(other, method, path, body)).toMatchObject({ status: 404 })
    expect(await refusal(other, 'POST', '', { file_ids: [fileId] })).toEqual({
      ...{ status: 404, message: `No file found with id '${fileId}'.`, type: 'invalid_request_error' },
      ...{ param: null, code: null },
    })
  })

  it('is searched by meaning and by words, also while it grows', async () => {
    const requests = await begin()
    const coral = await requests.addText('coral.txt', 'A coral reef grows where warm water meets light.')
    const { id } = await requests.create({ file_ids: [coral] })
    await requests.settled(id)
    const found = await requests.search(id, { query: 'coral reef' })
    expect(found).toMatchObject({
      ...{ object: 'vector_store.search_results.page', search_query: ['coral reef'], has_more: false, next_page: null },
      data: [{ file_id: coral, filename: 'coral.txt', attributes: {}, content: [{ type: 'text' }] }],
    })
    const ship = await requests.addText('ship.txt', 'The ship sails by the wind.')
    await requests.attach(id, { file_id: ship })
    await requests.settled(id)
    const two = await requests.search(id, { query: ['ship wind', 'coral reef'], max_num_results: 2 })
    expect(new Set(two.data.map(({ filename }) => filename))).toEqual(new Set(['coral.txt', 'ship.txt']))
    const one = await requests.search(id, { query: 'coral reef', max_num_results: 1 })
    expect(one.data.map(({ filename }) => filename)).toEqual(['coral.txt'])
    const guide = await requests.addText('guide.md', '# Guide\n\nPack a lantern.')
    await requests.attach(id, { file_id: guide })
    await requests.settled(id)
    const [passage] = (await requests.search(id, { query: 'lantern' })).data
    expect(passage?.content).toEqual([{ type: 'text', text: expect.stringMatching(/^# Guide\s+Pack a lantern\.\s*$/) }])
    const none = { query: 'zebra', ranking_options: { ranker: 'auto', score_threshold: 0.99 } }
    expect((await requests.search(id, none)).data).toEqual([])
    const unranked = { query: 'lantern', ranking_options: { ranker: 'none' } }
    expect((await requests.search(id, unranked)).data[0]).toMatchObject({ filename: 'guide.md' })
  })

  it('is searched with the weights that a caller gives the meaning and the words', async () => {
    const embeddings = new WordEmbeddings()
    const requests = await begin({ embeddings })
    const add = (name: string, text: string) => requests.addText(`${name}.txt`, text)
    // The nearest to the question as a whole, and the one that holds its rare word.
    const file_ids = [
      await add('common', 'Sea, sea.'),
      await add('rare', 'Anemone, anemone: of many other kinds of things.'),
    ]
    for (const n of [1, 2, 3, 4]) file_ids.push(await add(`other${n}`, `The sea of the ${n}th day was calm and wide.`))
    const { id } = await requests.create({ file_ids })
    await requests.settled(id)
    const found = async (ranking_options: object): Promise<string[]> => {
      const { data } = await requests.search(id, { query: 'sea anemone', ranking_options })
      return data.map(({ filename }) => filename)
    }
    const weighed = (embedding_weight: number, text_weight: number) =>
      found({ hybrid_search: { embedding_weight, text_weight } })
    const usual = await found({})
    expect(await weighed(7, 7)).toEqual(usual)
    expect((await weighed(1, 0))[0]).toBe('common.txt')
    expect((await weighed(1, 1000))[0]).toBe('rare.txt')
    embeddings.texts.length = 0
    expect((await weighed(0, 1))[0]).toBe('rare.txt')
    expect(embeddings.texts).toEqual([])
  })

  it('is searched without a count of all its files', async () => {
    const requests = await begin()
    const { id } = await requests.create({ file_ids: [await requests.addText('coral.txt', 'A coral reef.')] })
    await requests.settled(id)
    const statements: string[] = []
    const note = (statement: unknown): void => void statements.push((statement as CompiledStatement).sql)
    compiledStatements.subscribe(note)
    onTestFinished(() => void compiledStatements.unsubscribe(note))
    expect((await requests.search(id, { query: 'coral' })).data).toHaveLength(1)
    expect(statements.filter((sql) => sql.includes('count('))).toEqual([])
  })

  it('tells when it was last used, a minute apart at most, and expires so many days later', async () => {
    const clock = new ManualClock()
    const requests = await begin({ clock })
    const file_ids = [await requests.addText('coral.txt', 'A coral reef.')]
    const expires_after = { anchor: 'last_active_at', days: 1 }
    const { id, created_at } = await requests.create({ file_ids, expires_after })
    const batch = await requests.call<{ id: string }>('POST', `/${id}/file_batches`, { file_ids })
    await requests.settled(id)
    const activeAfter = async (seconds: number): Promise<number> => {
      clock.advanceSeconds(seconds)
      await requests.search(id, { query: 'coral' })
      const { last_active_at, last_used_at, expires_at } = await requests.store(id)
      expect([last_used_at, expires_at]).toEqual([last_active_at, (last_active_at ?? 0) + daySeconds])
      return (last_active_at ?? 0) - created_at
    }
    expect(await activeAfter(59)).toBe(0)
    expect(await activeAfter(1)).toBe(60)
    expect(await activeAfter(daySeconds - 1)).toBe(60 + daySeconds - 1)
    clock.advanceSeconds(daySeconds)
    const expired = await requests.store(id)
    expect(expired).toMatchObject({ status: 'expired', usage_bytes: 0, file_counts: { total: 0 } })
    const refused = { status: 400, code: 'vector_store_expired', message: expect.stringContaining('has expired') }
    const { platform } = requests
    expect(await refusal(platform, 'POST', `/${id}/search`, { query: 'coral' })).toMatchObject(refused)
    expect(await refusal(platform, 'POST', `/${id}/files`, { file_id: file_ids[0] })).toMatchObject(refused)
    expect(await refusal(platform, 'POST', `/${id}`, { name: 'x' })).toMatchObject(refused)
    expect(await refusal(platform, 'POST', `/${id}/file_batches`, { file_ids })).toMatchObject(refused)
    const gone = async () => {
      expect((await requests.files(id)).data).toEqual([])
      const one = `/${id}/files/${file_ids[0]}`
      for (const [method, path, body] of [
        ['GET', one],
        ['GET', `${one}/content`],
        ['POST', one, { attributes: { a: 1 } }],
        ['DELETE', one],
        ['GET', `/${id}/files_batches/${batch.id}`],
        ['GET', `/${id}/files_batches/${batch.id}/files`],
        ['POST', `/${id}/files_batches/${batch.id}/cancel`],
      ] as const) {
        expect([await refusal(platform, method, path, body), path]).toMatchObject([{ status: 404 }, path])
      }
    }
    await gone()
    await platform.platform.vectorStores.upkeep.expireOverdue()
    const { queries } = platform.kernel.db
    await waitUntil(async () => (await queries.selectFrom('vector_chunks').selectAll().execute()).length === 0)
    expect(await requests.store(id)).toEqual(expired)
    await gone()
    expect(await requests.call('DELETE', `/${id}`)).toMatchObject({ deleted: true })
  })

  it('lets others wait until its files are worked through', async () => {
    const gate = Promise.withResolvers<void>()
    const embeddings = new WordEmbeddings()
    embeddings.before = () => gate.promise
    const requests = await begin({ embeddings })
    const { id } = await requests.create({ file_ids: [await requests.addText('coral.txt', 'A coral reef.')] })
    const { platform, caller } = requests.platform
    const { signal } = new AbortController()
    const wait = (timeoutMs: number) => platform.vectorStores.stores.waitUntilReady(caller, [id], { signal, timeoutMs })
    expect(await wait(20)).toBe(false)
    const ready = wait(20_000)
    gate.resolve()
    expect(await ready).toBe(true)
    expect((await requests.store(id)).status).toBe('completed')
    const gone = AbortSignal.abort(new Error('left'))
    const left = platform.vectorStores.stores.waitUntilReady(caller, [id], { signal: gone, timeoutMs: 1_000 })
    await expect(left).rejects.toThrow('left')
  })

  it('takes the chunking strategy `auto` also without files, since later files get it anyway', async () => {
    const requests = await begin()
    expect(await requests.create({ chunking_strategy: { type: 'auto' } })).toMatchObject({ status: 'completed' })
  })

  it('refuses what is beyond its limits, and says what is wrong', async () => {
    const { platform } = await begin()
    const sizes = (max_chunk_size_tokens: number, chunk_overlap_tokens: number) => ({
      ...{ file_ids: ['file-x'] },
      chunking_strategy: { type: 'static', static: { max_chunk_size_tokens, chunk_overlap_tokens } },
    })
    const many = Array.from({ length: 501 }, (_, index) => `file-${index}`)
    const cases: [object, string][] = [
      [{ name: 'x'.repeat(257) }, 'name'],
      [{ name: 1 }, 'name'],
      [{ file_ids: many }, 'file_ids'],
      [{ file_ids: 'file-x' }, 'file_ids'],
      [{ metadata: Object.fromEntries(many.slice(0, 17).map((name) => [name, ''])) }, 'metadata'],
      [{ metadata: { ['x'.repeat(65)]: '' } }, 'metadata'],
      [{ metadata: { x: 'x'.repeat(513) } }, 'metadata.x'],
      [{ expires_after: { anchor: 'last_active_at', days: 0 } }, 'expires_after.days'],
      [{ expires_after: { anchor: 'last_active_at', days: 366 } }, 'expires_after.days'],
      [{ expires_after: { anchor: 'created_at', days: 1 } }, 'expires_after.anchor'],
      [{ expires_after: { days: 1 } }, 'expires_after.anchor'],
      [{ ...sizes(200, 50), file_ids: undefined }, 'chunking_strategy'],
      [{ ...sizes(200, 50), file_ids: [] }, 'chunking_strategy'],
      [{ chunking_strategy: { type: 'other' }, file_ids: ['file-x'] }, 'chunking_strategy.type'],
      [sizes(99, 10), 'chunking_strategy.static.max_chunk_size_tokens'],
      [sizes(4097, 10), 'chunking_strategy.static.max_chunk_size_tokens'],
      [sizes(100, 51), 'chunking_strategy.static.chunk_overlap_tokens'],
      [sizes(100, -1), 'chunking_strategy.static.chunk_overlap_tokens'],
      [{ colour: 'blue' }, 'colour'],
    ]
    for (const [body, param] of cases) {
      const { status, param: named } = await refusal(platform, 'POST', '', body)
      expect([status, named?.slice(0, param.length), body]).toEqual([400, param, body])
    }
  })

  it('refuses searches beyond the limits', async () => {
    const embeddings = new WordEmbeddings()
    const requests = await begin({ embeddings })
    const { id } = await requests.create({})
    const cases: [object, string][] = [
      [{}, 'query'],
      [{ query: '' }, 'query'],
      [{ query: [] }, 'query'],
      [{ query: 'x', max_num_results: 0 }, 'max_num_results'],
      [{ query: 'x', max_num_results: 51 }, 'max_num_results'],
      [{ query: 'x', ranking_options: { score_threshold: 1.1 } }, 'ranking_options.score_threshold'],
      [{ query: 'x', ranking_options: { ranker: 'best' } }, 'ranking_options.ranker'],
      [{ query: 'x', rewrite_query: true }, 'rewrite_query'],
      ...[
        [{ embedding_weight: 0, text_weight: 0 }, ''],
        [{ embedding_weight: -1, text_weight: 1 }, '.embedding_weight'],
        [{ embedding_weight: 1 }, '.text_weight'],
      ].map(([hybrid_search, at]): [object, string] => [
        { query: 'x', ranking_options: { hybrid_search } },
        `ranking_options.hybrid_search${at}`,
      ]),
    ]
    for (const [body, param] of cases) {
      expect([await refusal(requests.platform, 'POST', `/${id}/search`, body), body]).toMatchObject([
        { status: 400, param },
        body,
      ])
    }
    expect((await requests.search(id, { query: 'nothing is there' })).data).toEqual([])
    expect(embeddings.texts).toEqual([])
  })

  it('takes files for assistants only', async () => {
    const { platform } = await begin()
    const { id } = await platform.addFile('lines.jsonl', '{}', 'batch')
    expect(await refusal(platform, 'POST', '', { file_ids: [id] })).toMatchObject({
      ...{ status: 400, code: 'invalid_purpose', param: 'file_ids' },
      message: expect.stringContaining("'assistants'"),
    })
  })
})

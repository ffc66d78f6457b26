import { Reader } from '@atoll/documents/process/reader'
import { wakeTopic } from '@atoll/kernel/jobs/dispatcher'
import { ModelProblem } from '@atoll/models/problem'
import { waitsOf, watchTransactions } from '@atoll/testkit/transaction-waits'
import { expect, it, vi } from 'vitest'
import {
  describePlatformOnSqlite,
  describePlatformOnSqliteOrBoth,
  type StartOptions,
  type StartPlatform,
} from '../../../testing/describe-platform.ts'
import { waitUntil } from '../../../testing/wait-until.ts'
import type { Attachment } from '../files/attachments.ts'
import { StoreRequests } from '../testing/store-requests.ts'
import { WordEmbeddings } from '../testing/word-embeddings.ts'

const numbersBytes = 512 * 4

interface Started {
  requests: StoreRequests
  embeddings: WordEmbeddings
}

async function begin(start: StartPlatform, options: StartOptions = {}): Promise<Started> {
  const embeddings = new WordEmbeddings()
  return { embeddings, requests: new StoreRequests(await start({ runtimes: embeddings.runtimes, ...options })) }
}

/** So many chunks of 100 tokens or less, all different. */
const longText = (words: number): string => Array.from({ length: words }, (_, index) => `w${index}`).join(' ')
const smallChunks = { type: 'static', static: { max_chunk_size_tokens: 100, chunk_overlap_tokens: 0 } }

const rowOf = ({ platform }: StoreRequests): Promise<Attachment> =>
  platform.kernel.db.queries.selectFrom('vector_store_files').selectAll().executeTakeFirstOrThrow()

async function storedTexts({ platform }: StoreRequests): Promise<string[]> {
  const rows = await platform.kernel.db.queries
    .selectFrom('vector_chunks')
    .select(['ordinal', 'text'])
    .orderBy('ordinal')
    .execute()
  expect(rows.map(({ ordinal }) => ordinal)).toEqual(rows.map((_, index) => index))
  return rows.map(({ text }) => text)
}

describePlatformOnSqlite('the transactions that take a file in', (start) => {
  it('wait a few times for their statements, since all who want to write wait as long', async () => {
    const { requests } = await begin(start)
    const transactions = watchTransactions()
    const note = await requests.addText('note.txt', 'hello world')
    const { id } = await requests.create({ file_ids: [note] })
    await requests.settled(id)
    const most = (statement: string): number => Math.max(...waitsOf(transactions, statement))
    expect(most('insert into "files"')).toBe(1)
    expect(most('insert into "vector_stores"')).toBeLessThanOrEqual(3)
    // The first chunk of a store.
    expect(most('insert into "vector_chunks"')).toBeLessThanOrEqual(3)
    transactions.length = 0
    await requests.attach(id, {
      file_id: await requests.addText('words.txt', longText(5_000)),
      chunking_strategy: smallChunks,
    })
    await requests.settled(id)
    expect(waitsOf(transactions, 'insert into "vector_chunks"').length).toBeGreaterThan(3)
    expect(most('insert into "vector_chunks"')).toBeLessThanOrEqual(2)
  })
})

describePlatformOnSqliteOrBoth('the work on a file of a vector store', (start) => {
  it('waits while the model is busy', async () => {
    const { requests, embeddings } = await begin(start)
    let refusals = 2
    embeddings.before = () => {
      if (refusals-- > 0) throw new ModelProblem('Busy.', { kind: 'overloaded', retryAfterSeconds: 1 })
    }
    const { id } = await requests.create({ file_ids: [await requests.addText('a.txt', 'Corals are animals.')] })
    expect((await requests.settled(id)).file_counts).toMatchObject({ completed: 1, total: 1 })
    expect((await rowOf(requests)).failures).toBe(0)
  })

  it('goes on where it was after a failure: no chunk is missing, none is there twice', async () => {
    const { requests, embeddings } = await begin(start)
    const fileId = await requests.addText('words.txt', longText(15_000))
    let calls = 0
    embeddings.before = () => {
      if (++calls === 4) throw new Error('The model broke down.')
    }
    const { id } = await requests.create({ file_ids: [fileId], chunking_strategy: smallChunks })
    const { usage_bytes, file_counts } = await requests.settled(id)
    expect(file_counts).toMatchObject({ completed: 1 })
    const texts = await storedTexts(requests)
    expect(texts.join('') === longText(15_000)).toBe(true)
    expect(usage_bytes).toBe(texts.length * numbersBytes + texts.join('').length)
    expect(requests.platform.logged()).toContain('The model broke down.')
    // What was stored before the failure was not embedded again.
    const embedded = (text: string): number => embeddings.texts.filter((other) => other === `words\n${text}`).length
    for (const text of texts.slice(0, 32)) expect(embedded(text)).toBe(1)
  })

  it('holds the database for a few chunks at a time, whose words were cut before', async () => {
    const { requests } = await begin(start)
    const add = vi.spyOn(requests.platform.kernel.vectors, 'add')
    const fileId = await requests.addText('words.txt', longText(15_000))
    const { id } = await requests.create({ file_ids: [fileId], chunking_strategy: smallChunks })
    await requests.settled(id)
    const given = add.mock.calls.map(([, , , chunks]) => chunks)
    // A transaction may have been begun again.
    expect(new Set(given.flat().map(({ ordinal }) => ordinal)).size).toBe((await storedTexts(requests)).length)
    for (const chunks of given) expect(chunks.length).toBeLessThanOrEqual(16)
    for (const { bag } of given.flat()) expect(bag).toBeInstanceOf(Uint8Array)
  })

  it('is as urgent as requests are where a note comes alone, and goes behind them where many come together', async () => {
    const { requests } = await begin(start)
    const hurry = vi.spyOn(Reader.prototype, 'hurry')
    const add = (name: string): Promise<string> => requests.addText(name, 'Corals are animals.')
    await requests.settled((await requests.create({ file_ids: [await add('note.txt')] })).id)
    // One that took long, as on a busy machine, steps back later.
    expect(hurry.mock.calls[0]).toEqual([true])
    hurry.mockClear()
    const library = await Promise.all(Array.from({ length: 21 }, (_, n) => add(`${n}.txt`)))
    await requests.settled((await requests.create({ file_ids: library })).id)
    expect(new Set(hurry.mock.calls.flat())).toEqual(new Set([false]))
    hurry.mockRestore()
  })

  it('ends as failed when it fails again and again', async () => {
    const { requests, embeddings } = await begin(start)
    embeddings.before = () => {
      throw new Error('The model broke down.')
    }
    const { id } = await requests.create({ file_ids: [await requests.addText('a.txt', 'Corals are animals.')] })
    await waitUntil(async () => (await rowOf(requests)).failures === 1)
    await requests.platform.kernel.db.queries.updateTable('vector_store_files').set({ failures: 5 }).execute()
    expect((await requests.settled(id)).file_counts).toMatchObject({ failed: 1, total: 1 })
    const { data } = await requests.files(id)
    expect(data[0]?.last_error).toMatchObject({ code: 'server_error', message: expect.not.stringContaining('broke') })
    expect(requests.platform.logged()).toContain('The model broke down.')
  })

  it('is metered in the name of whoever attached the file', async () => {
    const { requests } = await begin(start)
    const { id } = await requests.create({ file_ids: [await requests.addText('a.txt', 'Corals are animals.')] })
    await requests.settled(id)
    const { platform, caller, kernel } = requests.platform
    await platform.inference.usage.flush()
    const rows = await kernel.db.queries.selectFrom('usage_events').selectAll().execute()
    expect(rows).toMatchObject([
      { operation: 'embeddings', model: 'text-embedding-3-small', project_id: caller.projectId, input_tokens: 4 },
    ])
    expect(rows[0]?.api_key_id).toBe(caller.keyId)
  })

  it('leaves nothing behind when the batch is cancelled half-way through a file', async () => {
    const { requests, embeddings } = await begin(start)
    let calls = 0
    embeddings.before = (_, signal) => {
      if (++calls < 4) return
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const { id } = await requests.create()
    const file_ids = [await requests.addText('words.txt', longText(20_000))]
    const body = { file_ids, chunking_strategy: smallChunks }
    const batch = await requests.call<{ id: string }>('POST', `/${id}/file_batches`, body)
    await waitUntil(async () => (await rowOf(requests)).chunks > 0)
    await requests.call('POST', `/${id}/file_batches/${batch.id}/cancel`)
    await waitUntil(async () => (await requests.batch(id, batch.id)).status === 'cancelled')
    embeddings.before = () => undefined
    expect(await requests.store(id)).toMatchObject({ usage_bytes: 0, file_counts: { cancelled: 1, total: 1 } })
    expect((await requests.search(id, { query: 'w1' })).data).toEqual([])
    // A part of them is gone before the rest.
    const left = requests.platform.kernel.db.queries.selectFrom('vector_chunks').select('id')
    await waitUntil(async () => (await left.execute()).length === 0)
  })

  it('does not wait for the many files of someone else', async () => {
    const { requests, embeddings } = await begin(start)
    const gate = Promise.withResolvers<void>()
    embeddings.before = ([text]) => (text?.includes('\nLibrary') ? gate.promise : undefined)
    const library = await Promise.all(
      Array.from({ length: 30 }, (_, index) => requests.addText(`${index}.txt`, `Library ${index}`)),
    )
    const large = await requests.create({ file_ids: library })
    const note = await requests.create({ file_ids: [await requests.addText('note.txt', 'A note.')] })
    expect((await requests.settled(note.id)).file_counts.completed).toBe(1)
    expect((await requests.store(large.id)).file_counts.in_progress).toBe(30)
    gate.resolve()
    expect((await requests.settled(large.id)).file_counts.completed).toBe(30)
  })

  it('shows in the file and in the store how far it is', async () => {
    const { requests, embeddings } = await begin(start)
    const gate = Promise.withResolvers<void>()
    let calls = 0
    embeddings.before = () => (++calls > 3 ? gate.promise : undefined)
    const fileId = await requests.addText('words.txt', longText(20_000))
    const { id } = await requests.create({ file_ids: [fileId], chunking_strategy: smallChunks })
    await waitUntil(async () => (await requests.store(id)).usage_bytes > 0)
    const { usage_bytes } = await requests.file(id, fileId)
    expect(usage_bytes).toBeGreaterThan(0)
    expect(await requests.store(id)).toMatchObject({ status: 'in_progress', file_counts: { in_progress: 1 } })
    gate.resolve()
    expect((await requests.settled(id)).usage_bytes).toBeGreaterThan(usage_bytes)
  })

  it('stores nothing more for a file that another node went on with', async () => {
    const { requests, embeddings } = await begin(start)
    const gate = Promise.withResolvers<void>()
    embeddings.before = () => gate.promise
    const { id } = await requests.create({ file_ids: [await requests.addText('a.txt', 'Corals are animals.')] })
    await waitUntil(async () => (await requests.platform.kernel.jobs.counts()).running > 0)
    const { db } = requests.platform.kernel
    // As the other node would leave it.
    await db.queries.updateTable('vector_store_files').set({ status: 'completed' }).execute()
    gate.resolve()
    await waitUntil(async () => {
      const { running, waiting } = await requests.platform.kernel.jobs.counts()
      return running + waiting === 0
    })
    expect(await storedTexts(requests)).toEqual([])
    expect((await requests.store(id)).file_counts).toMatchObject({ completed: 1 })
  })
})

describePlatformOnSqlite('a note where one process holds the database', (start) => {
  it('is begun by the commit that adds it, and waits for no other', async () => {
    const { requests } = await begin(start)
    const announced: unknown[] = []
    requests.platform.kernel.events.subscribe(wakeTopic, (wake) => announced.push(wake))
    const added = await requests.addText('note.txt', 'A note.')
    const { id } = await requests.create({ file_ids: [added] })
    expect((await requests.settled(id)).file_counts.completed).toBe(1)
    expect(announced).not.toContainEqual(expect.objectContaining({ kind: 'vector-store-file' }))
  })
})

describePlatformOnSqlite('what a model is asked for a file of a vector store', (start) => {
  it('stores nothing of an answer that lacks vectors', async () => {
    const embeddings = new WordEmbeddings()
    const { runtimes } = embeddings
    const port = runtimes['builtin-embeddings']?.embeddings
    const embed = port?.embed
    if (port && embed) {
      port.embed = async (request, call) => {
        const answer = await embed(request, call)
        return { ...answer, vectors: answer.vectors.slice(1) }
      }
    }
    const requests = new StoreRequests(await start({ runtimes }))
    await requests.create({ file_ids: [await requests.addText('a.txt', 'Corals are animals.')] })
    await waitUntil(() => requests.platform.logged().includes('The model gave 0 vectors for 1 texts.'))
    expect(await storedTexts(requests)).toEqual([])
  })

  it('ends at once when there is no such model, and says so', async () => {
    const config = { vectorStores: { embeddingModel: 'nothing-like-it' } }
    const { requests } = await begin(start, { config })
    const { id } = await requests.create({ file_ids: [await requests.addText('a.txt', 'Corals are animals.')] })
    await requests.settled(id)
    const { data } = await requests.files(id)
    expect(data[0]).toMatchObject({
      ...{
        status: 'failed',
        last_error: { code: 'server_error', message: expect.stringContaining('nothing-like-it') },
      },
    })
  })

  it('takes the vectors as they are of a model that gives one size only', async () => {
    const { runtimes } = new WordEmbeddings()
    const fixed = runtimes['builtin-embeddings']
    const embed = fixed?.embeddings?.embed
    let refused = 0
    if (fixed?.embeddings && embed) {
      fixed.embeddings.embed = (request, call) => {
        if (request.dimensions === undefined) return embed(request, call)
        refused++
        throw new ModelProblem('No.', { kind: 'unsupported', param: 'dimensions' })
      }
    }
    const requests = new StoreRequests(await start({ runtimes }))
    const { id } = await requests.create({ file_ids: [await requests.addText('a.txt', 'Corals are animals.')] })
    expect((await requests.settled(id)).file_counts).toMatchObject({ completed: 1 })
    expect((await requests.search(id, { query: 'corals' })).data.length).toBe(1)
    expect(refused).toBe(1)
  })

  it('embeds and keeps each chunk with the title and the headings it stands under', async () => {
    const { requests, embeddings } = await begin(start)
    const handbook = '# Employee handbook\n\nWelcome.\n\n## Parental leave\n\nTwelve weeks.'
    const { id } = await requests.create({ file_ids: [await requests.addText('hb.md', handbook)] })
    await requests.settled(id)
    expect(embeddings.texts).toEqual([`Employee handbook\n${handbook}`])
    const rows = await requests.platform.kernel.db.queries.selectFrom('vector_chunks').selectAll().execute()
    expect(rows).toMatchObject([{ heading: 'Employee handbook', text: handbook }])
  })
})

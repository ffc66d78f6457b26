// Vector stores as the official clients use them, polling included.
import { OpenAI4, OpenAI6, toFile4, toFile6 } from '@atoll/testkit/openai-clients'
import { expect, it } from 'vitest'
import { describePlatformOnSqlite, type TestPlatform } from '../../testing/describe-platform.ts'
import { WordEmbeddings } from './testing/word-embeddings.ts'

const poll = { pollIntervalMs: 50 }

describePlatformOnSqlite('vector stores by the official clients', (start) => {
  const running = (): Promise<TestPlatform> => start({ runtimes: new WordEmbeddings().runtimes })
  const options = ({ apiKey, url }: TestPlatform) => ({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 })

  it('AST-106 AST-111 AST-115 AST-119 AST-123 AST-124 AST-127 work with the client of 2024', async () => {
    const client = new OpenAI4(options(await running()))
    const { vectorStores } = client.beta
    const store = await vectorStores.create({ name: 'Sea', expires_after: { anchor: 'last_active_at', days: 7 } })
    const texts = ['Corals are animals.', 'Fish breathe water.', 'Ships sail.']
    const files = await Promise.all(texts.map((text, index) => toFile4(Buffer.from(text), `${index}.txt`)))
    const batch = await vectorStores.fileBatches.uploadAndPoll(store.id, { files }, poll)
    expect(batch).toMatchObject({ object: 'vector_store.files_batch', status: 'completed' })
    expect(batch.file_counts).toEqual({ in_progress: 0, completed: 3, failed: 0, cancelled: 0, total: 3 })
    const uploaded = await client.files.create({
      file: await toFile4(Buffer.from('Waves.'), 'w.md'),
      purpose: 'assistants',
    })
    const file = await vectorStores.files.createAndPoll(store.id, { file_id: uploaded.id }, poll)
    expect(file).toMatchObject({ id: uploaded.id, status: 'completed', last_error: null })
    const listed: string[] = []
    for await (const { id } of vectorStores.files.list(store.id, { limit: 2, filter: 'completed' })) listed.push(id)
    expect(new Set(listed).size).toBe(4)
    const ofBatch = await vectorStores.fileBatches.listFiles(store.id, batch.id, { order: 'asc' })
    expect(ofBatch.data.length).toBe(3)
    expect(await vectorStores.fileBatches.retrieve(store.id, batch.id)).toEqual(batch)
    expect(await vectorStores.update(store.id, { name: 'Ocean' })).toMatchObject({ name: 'Ocean' })
    expect(await vectorStores.files.del(store.id, uploaded.id)).toMatchObject({ deleted: true })
    const ids: string[] = []
    for await (const { id } of vectorStores.list()) ids.push(id)
    expect(ids).toEqual([store.id])
    expect(await vectorStores.del(store.id)).toMatchObject({ object: 'vector_store.deleted', deleted: true })
    await expect(vectorStores.retrieve(store.id)).rejects.toMatchObject({ status: 404 })
  })

  it('AST-106 AST-115 AST-123 AST-125 work with the client of 2026, search included', async () => {
    const client = new OpenAI6(options(await running()))
    const { vectorStores } = client
    const store = await vectorStores.create({ name: 'Sea' })
    const file = await vectorStores.files.uploadAndPoll(
      store.id,
      await toFile6(Buffer.from('Corals are animals that build reefs.'), 'coral.txt'),
      poll,
    )
    expect(file.status).toBe('completed')
    const batch = await vectorStores.fileBatches.createAndPoll(store.id, { file_ids: [file.id] }, poll)
    expect(batch).toMatchObject({ status: 'completed', file_counts: { completed: 1 } })
    const hits = []
    for await (const hit of vectorStores.search(store.id, { query: 'coral reefs' })) hits.push(hit)
    expect(hits).toMatchObject([
      { file_id: file.id, filename: 'coral.txt', content: [{ type: 'text', text: expect.stringContaining('reefs') }] },
    ])
    await expect(vectorStores.fileBatches.cancel(batch.id, { vector_store_id: store.id })).rejects.toMatchObject({
      status: 400,
    })
    expect(await vectorStores.retrieve(store.id)).toMatchObject({
      status: 'completed',
      usage_bytes: expect.any(Number),
    })
    expect(await vectorStores.delete(store.id)).toMatchObject({ deleted: true })
  })
})

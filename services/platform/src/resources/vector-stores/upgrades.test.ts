import { expect, it } from 'vitest'
import { describePlatform, type StartPlatform, type TestPlatform } from '../../testing/describe-platform.ts'
import { waitUntil } from '../../testing/wait-until.ts'
import { StoreRequests } from './testing/store-requests.ts'
import { WordEmbeddings } from './testing/word-embeddings.ts'

/** For a busy machine. */
const longMs = 60_000
const smallChunks = { type: 'static', static: { max_chunk_size_tokens: 100, chunk_overlap_tokens: 0 } }
const longText = (words: number): string => Array.from({ length: words }, (_, index) => `w${index}`).join(' ')

interface Started {
  platform: TestPlatform
  requests: StoreRequests
  embeddings: WordEmbeddings
}

/** With a model of this edition; `after` another that was closed, on its database. */
async function begin(start: StartPlatform, edition?: string, after?: TestPlatform, numbers?: number): Promise<Started> {
  const embeddings = new WordEmbeddings(edition, numbers)
  const platform = await start({ runtimes: embeddings.runtimes, ...(after && { after }) })
  return { platform, embeddings, requests: new StoreRequests(platform) }
}

/** A store whose vectors are of a model that is gone. */
async function oldStore(start: StartPlatform, text: string): Promise<{ before: TestPlatform; id: string }> {
  const { platform, requests } = await begin(start)
  const file_ids = [await requests.addText('old.txt', text)]
  const { id } = await requests.create({ file_ids, chunking_strategy: smallChunks })
  await requests.settled(id, longMs)
  await platform.close()
  return { before: platform, id }
}

const upgraded = async ({ platform, requests }: Started, id: string): Promise<void> => {
  await waitUntil(async () => (await requests.store(id)).embedding.is_current, longMs)
  expect(await platform.platform.vectorStores.upgrades.underWay()).toEqual([])
}

const textsFound = async (requests: StoreRequests, id: string, query: string): Promise<string[]> =>
  (await requests.search(id, { query })).data.map(({ filename }) => filename)

/** Every vector is the one the model gives for its text. */
async function expectVectorsOf({ platform, embeddings }: Started): Promise<number> {
  const { queries } = platform.kernel.db
  const rows = await queries.selectFrom('vector_chunks').select(['heading', 'text', 'vector']).execute()
  for (const { heading, text, vector } of rows) {
    const expected = embeddings.vectorOf(heading === '' ? text : `${heading}\n${text}`)
    expect(new Float32Array(Uint8Array.from(vector).buffer)).toEqual(expected)
  }
  return rows.length
}

describePlatform('a vector store of another model', (start) => {
  it(
    'is told as old and found by words alone, takes more files, and is embedded again',
    async () => {
      const { before, id } = await oldStore(start, 'Corals are animals of the sea.')
      const now = await begin(start, 'model-2', before)
      const { platform, requests, embeddings } = now
      expect((await requests.store(id)).embedding).toEqual({
        model: 'text-embedding-3-small',
        edition: null,
        is_current: false,
      })
      expect(await textsFound(requests, id, 'What are corals?')).toEqual(['old.txt'])
      expect(embeddings.texts).toEqual([])

      await requests.attach(id, { file_id: await requests.addText('new.txt', 'Sponges live in the sea as well.') })
      await requests.settled(id)
      expect((await requests.store(id)).embedding).toMatchObject({ is_current: false })
      expect(await textsFound(requests, id, 'sponges')).toEqual(['new.txt'])
      expect(await textsFound(requests, id, 'corals')).toEqual(['old.txt'])
      expect(embeddings.texts).not.toContain('corals')

      const [begun] = await platform.platform.vectorStores.upgrades.begin()
      expect(begun).toMatchObject({ id, total: 2 })
      await upgraded(now, id)
      expect((await requests.store(id)).embedding).toMatchObject({ edition: 'model-2', is_current: true })
      expect(await expectVectorsOf(now)).toBe(2)
      expect((await textsFound(requests, id, 'animals')).at(0)).toBe('old.txt')
      expect(embeddings.texts).toContain('animals')
    },
    2 * longMs,
  )

  it(
    'goes on where it was when it is broken off, is searched meanwhile, and takes in what comes meanwhile',
    async () => {
      const { before, id } = await oldStore(start, longText(4_000))
      const first = await begin(start, 'model-2', before)
      let calls = 0
      first.embeddings.before = async (_texts, signal) => {
        if (++calls === 2)
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      }
      await first.platform.platform.vectorStores.upgrades.begin()
      await waitUntil(() => calls === 2)
      const [{ done = 0, total = 0 } = {}] = await first.platform.platform.vectorStores.upgrades.underWay()
      expect(done).toBeGreaterThan(0)
      expect(done).toBeLessThan(total)
      expect(await textsFound(first.requests, id, 'w7')).toEqual(['old.txt'])
      await first.platform.close()

      const second = await begin(start, 'model-2', first.platform)
      await second.requests.attach(id, { file_id: await second.requests.addText('new.txt', 'Sponges of the sea.') })
      await upgraded(second, id)
      await second.requests.settled(id)
      const rows = await expectVectorsOf(second)
      expect(rows).toBe(total + 1)
      // What had its new vector was not embedded again.
      const again = second.embeddings.texts.filter((text) => text.startsWith('old\n'))
      expect(again.length).toBe(total - done)
      expect((await second.requests.store(id)).embedding).toMatchObject({ edition: 'model-2', is_current: true })
    },
    2 * longMs,
  )

  it(
    'stays as it is and says why where the model of now gives vectors of another width',
    async () => {
      const { before, id } = await oldStore(start, 'Corals are animals of the sea.')
      const { platform, requests } = await begin(start, 'model-2', before, 256)
      const { upgrades } = platform.platform.vectorStores
      await upgrades.begin()
      await waitUntil(async () => (await upgrades.underWay())[0]?.problem !== undefined, longMs)
      const problem = expect.stringMatching(/512 dimensions; this one has 256.*platform\.vectorStores\.dimensions/)
      expect(await upgrades.underWay()).toEqual([{ id, name: expect.any(String), done: 0, total: 1, problem }])
      expect((await requests.store(id)).embedding).toMatchObject({ is_current: false })
      expect(await textsFound(requests, id, 'corals')).toEqual(['old.txt'])
    },
    2 * longMs,
  )

  it(
    'is left alone where it is of the model that embeds now, or of one that does not tell',
    async () => {
      const { before, id } = await oldStore(start, 'Corals are animals.')
      const same = await begin(start, undefined, before)
      expect((await same.requests.store(id)).embedding).toMatchObject({ edition: null, is_current: true })
      expect(await same.platform.platform.vectorStores.upgrades.begin()).toEqual([])
      await same.platform.close()
      const now = await begin(start, 'model-2', before)
      const fileId = await now.requests.addText('a.txt', 'Sponges are animals.')
      const fresh = await now.requests.create({ file_ids: [fileId] })
      await now.requests.settled(fresh.id)
      expect((await now.requests.store(fresh.id)).embedding).toMatchObject({ edition: 'model-2', is_current: true })
      const empty = await now.requests.create()
      expect(empty.embedding).toMatchObject({ edition: null, is_current: true })
      expect((await now.platform.platform.vectorStores.upgrades.begin()).map((upgrade) => upgrade.id)).toEqual([id])
      await upgraded(now, id)
    },
    2 * longMs,
  )
})

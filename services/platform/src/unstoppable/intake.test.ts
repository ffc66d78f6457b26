// Whatever one project puts into its vector stores, another's files and questions do not wait for it.
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { StoreRequests } from '../resources/vector-stores/testing/store-requests.ts'
import { WordEmbeddings } from '../resources/vector-stores/testing/word-embeddings.ts'
import { describePlatform, describePlatformOnSqlite, type StartPlatform } from '../testing/describe-platform.ts'
import { waitUntil } from '../testing/wait-until.ts'

const heavyWord = 'heavy'
const text = (bytes: number): string => `${heavyWord} `.repeat(Math.ceil(bytes / (heavyWord.length + 1)))

/** Two projects; the model keeps the first one's texts until the test is over. */
async function twoProjects(start: StartPlatform) {
  const embeddings = new WordEmbeddings()
  let held = 0
  embeddings.before = async ([first], signal) => {
    if (!first?.includes(heavyWord)) return
    held++
    await setTimeout(600_000, undefined, { signal }).catch(() => undefined)
  }
  const platform = await start({ runtimes: embeddings.runtimes })
  const [heavy, light] = [new StoreRequests(platform), new StoreRequests(await platform.addProject('light'))]
  return { heavy, light, held: () => held }
}

async function addMany(requests: StoreRequests, count: number, bytes: number): Promise<void> {
  const ids = await Promise.all(
    Array.from({ length: count }, (_, index) => requests.addText(`${index}.txt`, text(bytes))),
  )
  await requests.create({ file_ids: ids })
}

async function expectRead(requests: StoreRequests, content: string): Promise<void> {
  const { id } = await requests.create({ file_ids: [await requests.addText('note.txt', content)] })
  expect((await requests.settled(id)).file_counts).toMatchObject({ completed: 1, total: 1 })
  const { data } = await requests.search(id, { query: content.slice(0, 40) })
  expect(data[0]?.content[0]?.text).toContain('hello')
}

describePlatform('beside a project whose files take long', (start) => {
  it("another's note is read and found, however many notes are on their way", async () => {
    const { heavy, light, held } = await twoProjects(start)
    await addMany(heavy, 20, 10_000)
    await waitUntil(() => held() >= 4, 60_000)
    await expectRead(light, 'hello world')
  }, 180_000)
})

// The turns are those of readers and models here: the database has its own in the test above.
describePlatformOnSqlite('beside a project whose libraries take long', (start) => {
  it("another's note and library are read and found, however many libraries are on their way", async () => {
    const { heavy, light, held } = await twoProjects(start)
    await addMany(heavy, 24, 10_000)
    await addMany(heavy, 5, 1_500_000)
    await waitUntil(() => held() >= 3, 60_000)
    await expectRead(light, 'hello world')
    await expectRead(light, 'hello '.repeat(200_000))
  }, 180_000)
})

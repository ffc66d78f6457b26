// Files as people have them, by the built-in model, from the upload to the search.
import { docxFile, wordParagraph } from '@atoll/documents/testing/office-files'
import { pdfFile } from '@atoll/documents/testing/pdf-file'
import { expect, it } from 'vitest'
import { describePlatformOnSqlite } from '../../../testing/describe-platform.ts'
import { StoreRequests } from '../testing/store-requests.ts'
import { WordEmbeddings } from '../testing/word-embeddings.ts'

const html = `<html><head><title>Bees</title><script>alert('no')</script></head>
<body><h1>Bees</h1><p>Bees collect nectar from flowers and make honey in their hive.</p></body></html>`

const files: Record<string, string | Buffer<ArrayBuffer>> = {
  'coral.txt': 'Corals are small sea animals. Together they build reefs of lime in warm, clear water.',
  'bread.md':
    '# Sourdough bread\n\nMix flour, water and salt, let the dough rise overnight, and bake it in a hot oven.',
  'bees.html': html,
  'moon.pdf': Buffer.from(pdfFile(['The astronauts landed on the moon in July 1969.\nThey came back with rocks.'])),
  'wine.docx': Buffer.from(docxFile(wordParagraph('Grapes are pressed in autumn, and the juice ferments to wine.'))),
  'prices.csv': 'item,price\nbicycle,300\nhelmet,40\n',
}

const questions: Record<string, string> = {
  'coral.txt': 'Which animals build reefs in the sea?',
  'bread.md': 'How do I bake sourdough bread?',
  'bees.html': 'Who makes honey from the nectar of flowers?',
  'moon.pdf': 'When did astronauts land on the moon?',
  'wine.docx': 'How do grapes become wine?',
  'prices.csv': 'What is the price of a bicycle?',
}

describePlatformOnSqlite('files of many kinds in a vector store', (start) => {
  it('AST-106 AST-116 are read, embedded by the built-in model, and found by questions about them', {
    timeout: 90_000,
  }, async () => {
    const requests = new StoreRequests(await start())
    const names = new Map<string, string>()
    const add = async (name: string, content: string | Buffer<ArrayBuffer>): Promise<string> => {
      const { id } = await requests.platform.addFile(name, content)
      names.set(id, name)
      return id
    }
    const file_ids: string[] = []
    for (const [name, content] of Object.entries(files)) file_ids.push(await add(name, content))
    const broken = [await add('fake.pdf', 'No PDF at all.'), await add('empty.txt', ''), await add('photo.png', png)]
    const { id } = await requests.create({ file_ids: [...file_ids, ...broken] })
    const store = await requests.settled(id, 60_000)
    expect(store.file_counts).toEqual({ in_progress: 0, completed: 6, failed: 3, cancelled: 0, total: 9 })
    const failed = await requests.files(id, '?filter=failed')
    expect(new Map(failed.data.map((file) => [names.get(file.id), file.last_error?.code]))).toEqual(
      new Map([
        ['photo.png', 'unsupported_file'],
        ['empty.txt', 'invalid_file'],
        ['fake.pdf', 'invalid_file'],
      ]),
    )
    for (const [name, query] of Object.entries(questions)) {
      const { data } = await requests.search(id, { query, max_num_results: 3 })
      expect([query, data[0]?.filename]).toEqual([query, name])
      expect(data.map(({ score }) => score)).toEqual(data.map(({ score }) => score).toSorted((a, b) => b - a))
      for (const { score } of data) expect(score >= 0 && score <= 1).toBe(true)
    }
    const bees = await requests.search(id, { query: questions['bees.html'] ?? '', max_num_results: 1 })
    expect(bees.data[0]?.content[0]?.text).not.toContain('alert')
  })

  it('INF-211 are searched if of a kind that can be, and with 2 million tokens or fewer unless the server is told another number', async () => {
    const requests = new StoreRequests(await start({ runtimes: new WordEmbeddings().runtimes }))
    const failure = async (name: string, content: string | Buffer<ArrayBuffer>, by = requests) => {
      const { id: fileId } = await by.platform.addFile(name, content)
      const { id } = await by.create({ file_ids: [fileId] })
      const { file_counts } = await by.settled(id, 120_000)
      expect(file_counts.completed + file_counts.failed).toBe(1)
      const { last_error, usage_bytes } = await by.file(id, fileId)
      expect(usage_bytes === 0).toBe(last_error !== null)
      return last_error
    }
    const words = (count: number): string => ' a'.repeat(count)
    expect(await failure('long.txt', words(2_000_001))).toEqual({
      code: 'invalid_file',
      message: expect.stringMatching(/more than 2000000 tokens.*Split it/),
    })
    expect(await failure('picture.png', png)).toMatchObject({ code: 'unsupported_file' })
    const config = { vectorStores: { maxFileTokens: 1_000 } }
    const told = new StoreRequests(await start({ runtimes: new WordEmbeddings().runtimes, config }))
    expect(await failure('just.txt', words(1_000), told)).toBeNull()
    expect(await failure('over.txt', words(1_001), told)).toMatchObject({ code: 'invalid_file' })
  })
})

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

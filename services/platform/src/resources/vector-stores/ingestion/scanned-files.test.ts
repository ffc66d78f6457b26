// PDFs of scanned pages, with and without a program for the text on them.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pdfFile } from '@atoll/documents/testing/pdf-file'
import { type Picture, scannedFile } from '@atoll/documents/testing/scanned-file'
import { isAlive, noted, script } from '@atoll/documents/testing/scripts'
import { lacking } from '@atoll/testkit/lacking'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it, vi } from 'vitest'
import {
  describePlatformOnSqlite,
  describePlatformOnSqliteOrBoth,
  type StartPlatform,
} from '../../../testing/describe-platform.ts'
import { StoreRequests } from '../testing/store-requests.ts'
import { WordEmbeddings } from '../testing/word-embeddings.ts'

/** Programs of low priority take a while on a machine that has other work. */
const patienceMs = 250_000
vi.setConfig({ testTimeout: 2 * patienceMs })
const root = join(import.meta.dirname, '../../../../../..')
const words = 'The harbour master keeps seven keys.'
const scan = (note = words): Uint8Array<ArrayBuffer> => Buffer.from(scannedFile(undefined, note))
/** Finds the words that `scan` hides. */
const recognize = 'grep -a "^%% " "$1" | cut -c4-'

async function begin(start: StartPlatform, lines?: string, seconds = 60): Promise<StoreRequests> {
  const ocr = lines === undefined ? {} : { ocr: { command: [await script(lines), '{input}'], seconds } }
  return new StoreRequests(await start({ runtimes: new WordEmbeddings().runtimes, config: { vectorStores: ocr } }))
}

async function lastError(requests: StoreRequests, content = scan()) {
  const { id } = await requests.create({ file_ids: [(await requests.platform.addFile('scan.pdf', content)).id] })
  expect((await requests.settled(id, patienceMs)).file_counts).toMatchObject({ failed: 1, total: 1 })
  return (await requests.files(id)).data[0]?.last_error
}

describePlatformOnSqliteOrBoth('a PDF of scanned pages in a vector store', (start) => {
  it('AST-115 is found by its words with a program for text recognition', async () => {
    const requests = await begin(start, recognize)
    const file = await requests.platform.addFile('Rules of the harbour.pdf', scan())
    const { id } = await requests.create({ file_ids: [file.id] })
    expect((await requests.settled(id, patienceMs)).file_counts).toMatchObject({ completed: 1, total: 1 })
    const { data } = await requests.search(id, { query: 'seven keys' })
    expect(data).toMatchObject([{ file_id: file.id, content: [{ text: expect.stringContaining(words) }] }])
  })

  it('takes its turn with other projects, and holds up nobody who needs no program', async () => {
    const folder = await tempDir()
    // Each waits until it is let go, and notes whose it was.
    const one = 'while [ ! -e "$go" ]; do sleep 0.05; done; grep -a "^%% " "$1" | cut -c4- | tee -a "$order"'
    const requests = await begin(start, `go='${folder}/go'; order='${folder}/order'; ${one}`)
    const other = new StoreRequests(await requests.platform.addProject('Other'))
    const scans = await Promise.all([1, 2, 3].map(() => requests.platform.addFile('scan.pdf', scan('first project'))))
    const large = await requests.create({ file_ids: scans.map(({ id }) => id) })
    const theirs = await other.create({ file_ids: [(await other.platform.addFile('scan.pdf', scan('second'))).id] })
    const note = await requests.create({ file_ids: [await requests.addText('note.txt', 'Corals are animals.')] })
    expect((await requests.settled(note.id, patienceMs)).file_counts.completed).toBe(1)
    expect((await requests.store(large.id)).file_counts.in_progress).toBe(3)
    await expect
      .poll(async () => (await requests.platform.kernel.jobs.counts()).waiting, { timeout: patienceMs })
      .toBe(3)
    writeFileSync(join(folder, 'go'), '')
    expect((await requests.settled(large.id, patienceMs)).file_counts.completed).toBe(3)
    expect((await other.settled(theirs.id, patienceMs)).file_counts.completed).toBe(1)
    expect(readFileSync(join(folder, 'order'), 'utf8').split('\n').indexOf('second')).toBeLessThan(3)
  })
})

describePlatformOnSqlite('a PDF of scanned pages that cannot be recognized at once', (start) => {
  it('says what it is without one, and what to set', async () => {
    const message = expect.stringMatching(/scanned pages.*OCR.*platform\.vectorStores\.ocr/)
    expect(await lastError(await begin(start))).toEqual({ code: 'unsupported_file', message })
  })

  it('fails once where the program fails, and only the log tells why', async () => {
    const count = join(await tempDir(), 'runs')
    const requests = await begin(start, `echo run >>'${count}'; echo "no licence in /opt/secret" >&2; exit 5`)
    const error = await lastError(requests)
    expect(error).toMatchObject({ code: 'server_error', message: expect.stringContaining('failed') })
    expect(error?.message).not.toMatch(/secret|licence|\/tmp/)
    expect(requests.platform.logged()).toContain('no licence in /opt/secret')
    expect(readFileSync(count, 'utf8')).toBe('run\n')
  })

  it('fails where the program hangs', async () => {
    expect(await lastError(await begin(start, 'sleep 1000 & wait', 1))).toMatchObject({ code: 'invalid_file' })
  })

  it('ends the program when the file is deleted', async () => {
    const pids = join(await tempDir(), 'pids')
    const requests = await begin(start, `sleep 1000 & echo $$ $! >'${pids}'; wait`)
    const file = await requests.platform.addFile('scan.pdf', scan())
    const { id } = await requests.create({ file_ids: [file.id] })
    const running = await noted(pids)
    expect((await requests.platform.delete(`/v1/files/${file.id}`)).status).toBe(200)
    for (const pid of running) await expect.poll(() => isAlive(pid), { timeout: patienceMs }).toBe(false)
    expect((await requests.settled(id, patienceMs)).file_counts).toMatchObject({ total: 0 })
  })

  it('goes on after a restart in the middle of it', async () => {
    const pids = join(await tempDir(), 'pids')
    const command = [await script(`sleep 1000 & echo $$ $! >'${pids}'; wait`), '{input}']
    const { runtimes } = new WordEmbeddings()
    const first = await start({ runtimes, config: { vectorStores: { ocr: { command } } } })
    const requests = new StoreRequests(first)
    const { id } = await requests.create({ file_ids: [(await first.addFile('scan.pdf', scan())).id] })
    const running = await noted(pids)
    await first.close()
    for (const pid of running) await expect.poll(() => isAlive(pid), { timeout: patienceMs }).toBe(false)
    const able = { ocr: { command: [await script(recognize), '{input}'] } }
    const again = new StoreRequests(await start({ after: first, runtimes, config: { vectorStores: able } }))
    expect((await again.settled(id, patienceMs)).file_counts).toMatchObject({ completed: 1, total: 1 })
  })
})

/** The commands of the documentation, each with the programs it needs. */
const documented: Record<string, string[]> = {
  ocrmypdf: ['ocrmypdf', 'tesseract', 'pdftoppm'],
  '/usr/local/lib/atoll/recognize.sh': ['tesseract', 'pdftoppm'],
}
const page = readFileSync(join(root, 'docs/file-search.md'), 'utf8')
const commands = Array.from(page.matchAll(/^ +command: (.+)$/gm), ([, command = '']) => command)

/** As a scanner makes it of a printed page. */
async function scannedPages(pages: string[]): Promise<Uint8Array<ArrayBuffer>> {
  const folder = await tempDir()
  writeFileSync(join(folder, 'printed.pdf'), pdfFile(pages))
  execFileSync('pdftoppm', ['-gray', '-r', '200', 'printed.pdf', 'page'], { cwd: folder })
  const pictures = pages.map((_, index) => picture(readFileSync(join(folder, `page-${index + 1}.pgm`))))
  return Buffer.from(scannedFile(pictures))
}

function picture(pgm: Buffer): Picture {
  const [head = '', width, height] = /^P5\n(\d+) (\d+)\n255\n/.exec(pgm.toString('latin1', 0, 100)) ?? []
  return { width: Number(width), height: Number(height), gray: pgm.subarray(head.length) }
}

describePlatformOnSqlite('text recognition as docs/file-search.md shows it', (start) => {
  it('is by programs that this test knows', () => {
    expect(commands.map((command) => command.split(' ')[0])).toEqual(Object.keys(documented))
  })

  for (const [program, needed] of Object.entries(documented)) {
    const missing = lacking(...needed)
    it.skipIf(missing !== '')(
      `${program} reads a scan${missing && ` (skipped for lack of ${missing})`}`,
      async () => {
        const line = commands.find((command) => command.startsWith(program)) ?? ''
        const command = line.replace('/usr/local/lib/atoll', join(root, 'examples/ocr'))
        const requests = new StoreRequests(await start({ config: { vectorStores: { ocr: { command } } } }))
        const pages = [`Chapter 1\n\n${words}`, 'Chapter 2\n\nLighthouses burn oil at night.']
        const { id: fileId } = await requests.platform.addFile('scan.pdf', await scannedPages(pages))
        const { id } = await requests.create({ file_ids: [fileId] })
        await requests.settled(id, patienceMs)
        expect((await requests.files(id)).data[0]).toMatchObject({ status: 'completed', last_error: null })
        const { data } = await requests.search(id, { query: 'How many keys does the harbour master keep?' })
        expect(data[0]?.content[0]?.text).toContain(words)
        expect(data[0]?.content[0]?.text).toMatch(/keys\.\s*\f[\s\S]*Lighthouses burn oil at night\./)
      },
      180_000,
    )
  }
})

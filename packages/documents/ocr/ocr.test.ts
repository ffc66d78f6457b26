// Text recognition by real programs: scripts of this test, and those of the documentation where the machine has them.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import type { DocumentsOptions } from '../create-documents.ts'
import { pdfFile } from '../testing/pdf-file.ts'
import { chunksOf, testDocuments } from '../testing/reading.ts'
import { scannedFile } from '../testing/scanned-file.ts'
import { isAlive, noted, script } from '../testing/scripts.ts'
import { fileOf } from '../testing/source.ts'

const isScanned = true
const scan = fileOf('Rules.pdf', scannedFile(undefined, 'The harbour has seven keys.'))

async function recognizing(lines: string, more: Partial<DocumentsOptions> & { seconds?: number } = {}) {
  const { seconds = 60, ...options } = more
  const command = [await script(lines), '{input}']
  return testDocuments({ ocr: { command, seconds, memoryMb: 64 }, ...options })
}

async function textBy(lines: string, more: Parameters<typeof recognizing>[1] = {}): Promise<string> {
  const chunks = await chunksOf(await recognizing(lines, more), scan, { isScanned })
  return chunks.map(({ text }) => text).join('')
}

it('gives the program the PDF, and takes the text it writes', async () => {
  expect(await textBy('grep -a "^%% " "$1" | cut -c4-')).toBe('The harbour has seven keys.\n')
})

it('keeps pages and headings of the text', async () => {
  const documents = await recognizing(`printf 'Chapter 1\\n\\nSeven keys.\\n\\fChapter 2\\n\\nNo doors.\\n'`)
  const [chunk] = await chunksOf(documents, scan, { isScanned })
  expect(chunk).toMatchObject({ heading: 'Chapter 1', text: 'Chapter 1\n\nSeven keys.\n\fChapter 2\n\nNo doors.\n' })
})

it('takes a PDF with text as well', async () => {
  const output = join(await tempDir(), 'with-text.pdf')
  writeFileSync(output, pdfFile(['Seven keys.', 'No doors.']))
  expect(await textBy(`cat '${output}'`)).toBe('Seven keys.\n\fNo doors.')
})

it('runs in an empty folder of its own, at low priority, without the secrets of the server', async () => {
  process.env.ATOLL_TEST_SECRET = 'sk-secret'
  const text = await textBy('pwd; ls; nice; echo "$1"; env')
  const [folder = '', file, priority, input] = text.split('\n')
  expect({ file, priority, input }).toEqual({
    file: 'input.pdf',
    priority: String(getPriority() + 10),
    input: `${folder}/input.pdf`,
  })
  expect(text).not.toContain('sk-secret')
  expect(existsSync(folder)).toBe(false)
})

it.each([
  ['fails', 'echo sk-secret-in-/etc/passwd >&2; exit 3', 'server_error', /OCR\) failed on it/],
  ['is killed', 'kill -9 $$', 'server_error', /OCR\) failed on it/],
  ['writes something else', 'head -c 5000 /dev/zero', 'server_error', /OCR\) failed on it/],
  ['writes a picture', `printf '\\211PNG\\r\\n\\032\\n'`, 'server_error', /OCR\) failed on it/],
  ['writes nothing', 'true', 'invalid_file', /found none on its pages/],
  ['writes blanks', `printf ' \\n\\f\\n'`, 'invalid_file', /found none on its pages/],
  ['gives the PDF back as it was', 'cat "$1"', 'invalid_file', /found none on its pages/],
  ['floods', 'yes', 'invalid_file', /more than can be read/],
  ['needs too much memory', 'head -c 200000000 /dev/zero | tail', 'server_error', /OCR\) failed on it/],
])(
  'a program that %s fails the file in words that tell no secrets',
  async (_, lines, code, words) => {
    const problem = await textBy(`set -e; ${lines}`, { fileBytes: 1024 ** 2 }).catch((error) => error)
    expect(problem).toMatchObject({ code, mayPass: false, message: expect.stringMatching(words) })
    expect(problem.message).not.toMatch(/secret|passwd|\/tmp/)
  },
  60_000,
)

it('a program that is gone fails the file', async () => {
  const path = await script('echo text')
  const documents = testDocuments({ ocr: { command: [path, '{input}'], seconds: 60, memoryMb: 1_024 } })
  rmSync(path)
  await expect(chunksOf(documents, scan, { isScanned })).rejects.toMatchObject({ code: 'server_error' })
})

/** Leaves a child in the background, and hangs. */
const hanging = (pids: string): string => `sleep 1000 & echo $$ $! >'${pids}'; wait`

it('is ended with its children when its time is up', async () => {
  const pids = join(await tempDir(), 'pids')
  await expect(textBy(hanging(pids), { seconds: 1 })).rejects.toMatchObject({ message: /within 1 seconds/ })
  for (const pid of await noted(pids)) await expect.poll(() => isAlive(pid)).toBe(false)
})

it('is ended with its children when nobody wants the file any more', async () => {
  const pids = join(await tempDir(), 'pids')
  const documents = await recognizing(hanging(pids))
  const stop = new AbortController()
  const reading = chunksOf(documents, scan, { isScanned, signal: stop.signal })
  const running = await noted(pids)
  stop.abort(new Error('Given up.'))
  await expect(reading).rejects.toThrow('Given up.')
  for (const pid of running) await expect.poll(() => isAlive(pid)).toBe(false)
})

it('is ended with its children when the server stops', async () => {
  const pids = join(await tempDir(), 'pids')
  const documents = await recognizing(hanging(pids))
  const reading = chunksOf(documents, scan, { isScanned }).catch((error) => error)
  const running = await noted(pids)
  await documents.close()
  expect(await reading).toMatchObject({ message: expect.stringContaining('shutting down') })
  for (const pid of running) await expect.poll(() => isAlive(pid)).toBe(false)
})

it('is ended with its children, and its folder removed, when the server is killed', async () => {
  const pids = join(await tempDir(), 'pids')
  const program = await script(`pwd >'${pids}.folder'; ${hanging(pids)}`)
  const entry = join(import.meta.dirname, '../testing/recognizing-server.ts')
  const server = spawn(process.execPath, [entry, program], { stdio: 'inherit' })
  const running = await noted(pids)
  server.kill('SIGKILL')
  for (const pid of running) await expect.poll(() => isAlive(pid)).toBe(false)
  const folder = readFileSync(`${pids}.folder`, 'utf8').trim()
  await expect.poll(() => existsSync(folder)).toBe(false)
})

it('leaves nothing behind that goes on after it', async () => {
  const pids = join(await tempDir(), 'pids')
  expect(await textBy(`sleep 1000 & echo $! >'${pids}'; echo text`)).toBe('text\n')
  for (const pid of await noted(pids)) await expect.poll(() => isAlive(pid)).toBe(false)
})

it('is refused in the words of always where there is no program', async () => {
  const reading = async () => chunksOf(testDocuments(), scan, { isScanned })
  await expect(reading()).rejects.toMatchObject({ message: /scanned pages.*platform\.vectorStores\.ocr/ })
})

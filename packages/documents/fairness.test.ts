// Files of several projects at once: nobody's files keep another's waiting.
import { Buffer } from 'node:buffer'
import { getPriority } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import type { DocumentChunk } from './documents.ts'
import { Reader } from './process/reader.ts'
import { repeatedDrawing } from './testing/hostile-files.ts'
import { pdfFile } from './testing/pdf-file.ts'
import { automatic, chunksOf, madeFile, testDocuments } from './testing/reading.ts'
import { fileOf } from './testing/source.ts'

const megabyte = 1024 ** 2
const words = Buffer.from('the harbour has seven ships and a crane that never rests '.repeat(1_000))
const large = madeFile('large.txt', words, Math.ceil((3 * megabyte) / words.length))
const note = fileOf('note.txt', 'hello world')
const slow = fileOf('slow.pdf', pdfFile([repeatedDrawing('(a) Tj 0 0 Td '.repeat(65_536), 1_000)]))
const never = new AbortController().signal

it('reads the file of another project while one has many that take long', async () => {
  const documents = testDocuments({ processes: 2, silenceMs: 20_000 })
  const begun = [1, 2, 3, 4].map(() => chunksOf(documents, slow, { turn: 'heavy' }).catch(({ code }) => code))
  const first = await Promise.race([...begun, setTimeout(200).then(() => chunksOf(documents, note, { turn: 'light' }))])
  expect(first).toMatchObject([{ text: 'hello world' }])
  await documents.close()
  await Promise.all(begun)
}, 60_000)

it('takes the process from a long reading when others have none, and goes on with it later', async () => {
  const documents = testDocuments({ processes: 1 })
  const alone = await chunksOf(documents, large)
  const storage = Promise.withResolvers<void>()
  let reads = 0
  const stuck = {
    ...large,
    async *read() {
      const isFirst = ++reads === 1
      for await (const piece of large.read()) {
        yield piece
        if (isFirst) await storage.promise
      }
    },
  }
  const reading = chunksOf(documents, stuck, { turn: 'heavy' })
  await setTimeout(100)
  expect(await chunksOf(documents, note, { turn: 'light' })).toMatchObject([{ text: 'hello world' }])
  storage.resolve()
  expect(await reading).toEqual(alone)
  expect(reads).toBe(2)
}, 60_000)

it('holds no process while its chunks wait to be taken', async () => {
  const documents = testDocuments({ processes: 1 })
  const alone = await chunksOf(documents, large)
  const chunks = documents.chunks(large, automatic, { signal: never, turn: 'one' })[Symbol.asyncIterator]()
  const taken: DocumentChunk[] = [(await chunks.next()).value]
  expect(await chunksOf(documents, note, { turn: 'one' })).toMatchObject([{ text: 'hello world' }])
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) taken.push(next.value)
  expect(taken).toEqual(alone)
}, 60_000)

it('reads so far ahead and no further, and leaves its process to others meanwhile', async () => {
  const documents = testDocuments({ processes: 1, aheadBytes: megabyte / 2 })
  let given = 0
  const source = {
    ...large,
    async *read() {
      for await (const piece of large.read()) {
        given += piece.length
        yield piece
      }
    },
  }
  const alone = await chunksOf(documents, large)
  const chunks = documents.chunks(source, automatic, { signal: never, turn: 'heavy' })[Symbol.asyncIterator]()
  const taken: DocumentChunk[] = [(await chunks.next()).value]
  await setTimeout(500)
  expect(given).toBeLessThan(2.5 * megabyte)
  expect(await chunksOf(documents, note, { turn: 'light' })).toMatchObject([{ text: 'hello world' }])
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) taken.push(next.value)
  expect(taken).toEqual(alone)
}, 60_000)

it('serves those who wait in turns, whoever came first with many', async () => {
  const documents = testDocuments({ processes: 1 })
  const done: string[] = []
  const read = (turn: string): Promise<unknown> => chunksOf(documents, note, { turn }).then(() => done.push(turn))
  await Promise.all([...Array.from({ length: 10 }, () => read('many')), read('few'), read('few')])
  expect(done.slice(0, 5).filter((turn) => turn === 'few')).toHaveLength(2)
}, 60_000)

it('starts another process for a large file, and leaves the one that is ready to small ones', async () => {
  const documents = testDocuments({ processes: 2 })
  await chunksOf(documents, note)
  const reading = chunksOf(documents, large)
  await Promise.resolve()
  // Where the note took long, the second was started with it.
  expect(documents.pids).toHaveLength(2)
  expect((await reading).length).toBeGreaterThan(100)
}, 60_000)

it('keeps its last process for the next file when the others go', async () => {
  const documents = testDocuments({ processes: 2, idleMs: 50 })
  await Promise.all([chunksOf(documents, note, { turn: 'one' }), chunksOf(documents, note, { turn: 'two' })])
  while (documents.pids.length > 1) await setTimeout(10)
  const [last] = documents.pids
  await setTimeout(200)
  await chunksOf(documents, note)
  expect(documents.pids).toEqual([last])
}, 60_000)

it('asks a process that is there once for a small file, and gets all of it with the answer', async () => {
  const documents = testDocuments({ processes: 1 })
  await chunksOf(documents, note)
  const exchange = vi.spyOn(Reader.prototype, 'exchange')
  expect(await chunksOf(documents, note)).toMatchObject([{ text: 'hello world' }])
  expect(exchange).toHaveBeenCalledTimes(1)
  exchange.mockRestore()
}, 60_000)

it('reads small files as urgently as requests are answered, and what is large, takes long or is one of many behind them', async () => {
  const documents = testDocuments({ processes: 1 })
  const priority = (): number => getPriority(documents.pids[0])
  await chunksOf(documents, note)
  expect(priority()).toBe(getPriority())
  await chunksOf(documents, note, { isOneOfMany: true })
  expect(priority()).toBeGreaterThan(getPriority())
  await chunksOf(documents, note)
  expect(priority()).toBe(getPriority())
  const left = new AbortController()
  const long = chunksOf(documents, slow, { signal: left.signal }).catch(() => undefined)
  while (priority() === getPriority()) await setTimeout(10)
  left.abort()
  await long
  const storage = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const stuck = {
    ...large,
    async *read() {
      begun.resolve()
      await storage.promise
      yield* large.read()
    },
  }
  const reading = chunksOf(documents, stuck)
  await begun.promise
  expect(priority()).toBeGreaterThan(getPriority())
  storage.resolve()
  expect((await reading).length).toBeGreaterThan(100)
}, 60_000)

import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LogTail } from '../../../log-drivers/log-tail.ts'
import { LineCursor } from './line-cursor.ts'
import { closeQuietly, type LogFile, openLogFiles, openNextFile } from './log-files.ts'
import type { RotatingLog } from './testing/rotating-log.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'atoll-log-files-'))
  path = join(folder, 'log.json')
})
afterEach(() => rmSync(folder, { recursive: true }))

const rotations = process.env.ATOLL_TEST_LONG === '1' ? 20_000 : 500
const linesPerFile = 3

/** Tells whether all is written; throws when writing failed. */
function startWriting(maxFiles: number, read: Int32Array<SharedArrayBuffer>): () => boolean {
  const workerData: RotatingLog = { path, rotations, maxFiles, linesPerFile, read }
  const worker = new Worker(new URL('./testing/rotating-log.ts', import.meta.url), { workerData })
  let isWritten = false
  let failure: Error | undefined
  worker.once('message', () => {
    isWritten = true
  })
  worker.once('error', (error) => {
    failure = error
  })
  return () => {
    if (failure !== undefined) throw failure
    return isWritten
  }
}

const sequence = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n)
const lastLine = (rotations + 1) * linesPerFile - 1

/** How far a writer that does not wait may be ahead. */
const noReader = () => new Int32Array(new SharedArrayBuffer(4)).fill(lastLine)

async function numbersIn(file: LogFile): Promise<number[]> {
  const numbers: number[] = []
  const cursor = new LineCursor(file.handle)
  for (let lines = await cursor.next(); lines !== undefined; lines = await cursor.next()) {
    for (const line of lines) numbers.push(Number(line.toString()))
  }
  return numbers
}

describe('a log that is rotated and compressed while it is read', { timeout: 300_000 }, () => {
  it('is followed line by line, none left out and none twice', async () => {
    const read = new Int32Array(new SharedArrayBuffer(4))
    const isWritten = startWriting(12, read)
    const tail = new LogTail(path, undefined)
    const numbers: number[] = []
    let gaps = 0
    while (numbers.at(-1) !== lastLine) {
      const wasWritten = isWritten()
      const lines = await tail.next()
      if (tail.hasGap) gaps += 1
      for (const line of lines ?? []) numbers.push(Number(line.toString()))
      Atomics.store(read, 0, numbers.at(-1) ?? 0)
      Atomics.notify(read, 0)
      if (lines === undefined && wasWritten) break
      if (lines === undefined) await new Promise(setImmediate)
    }
    tail.close()
    expect(gaps).toBe(0)
    expect(numbers).toEqual(sequence(0, lastLine))
  })

  it('is followed without repetition by one who is too slow', async () => {
    const isWritten = startWriting(4, noReader())
    const tail = new LogTail(path, undefined)
    const wrong: [number, number][] = []
    let last = -1
    for (let isOver = false; !isOver; ) {
      const wasWritten = isWritten()
      const lines = await tail.next()
      for (const line of lines ?? []) {
        const number = Number(line.toString())
        if (number <= last || (number !== last + 1 && !tail.hasGap && last >= 0)) wrong.push([last, number])
        last = number
        tail.hasGap = false
      }
      isOver = lines === undefined && wasWritten
    }
    tail.close()
    expect(wrong).toEqual([])
    expect(last).toBe(lastLine)
  })

  it('is opened whole, the oldest first', async () => {
    const isWritten = startWriting(30, noReader())
    for (let isOver = false; !isOver; ) {
      isOver = isWritten()
      const files = await openLogFiles(path)
      const found = await Promise.all(files.map(numbersIn))
      files.forEach(closeQuietly)
      const kept = found.slice(files.findLastIndex(({ isAfterGap }) => isAfterGap) + 1).flat()
      expect(kept).toEqual(sequence(kept[0] ?? 0, (kept[0] ?? 0) + kept.length - 1))
      expect(found.flat()).toEqual(found.flat().toSorted((one, other) => one - other))
      if (isOver) expect(found.flat()).toEqual(sequence(lastLine - 30 * linesPerFile + 1, lastLine))
    }
  })
})

describe('a log whose rotation was cut short', () => {
  it('is read and followed across the name that is missing', async () => {
    for (const [age, text] of ['4\n', '3\n', '2\n'].entries()) writeFileSync(age ? `${path}.${age}` : path, text)
    renameSync(`${path}.2`, `${path}.3`)
    writeFileSync(`${path}.5.gz`, gzipSync('1\n'))
    const files = await openLogFiles(path)
    expect((await Promise.all(files.map(numbersIn))).flat()).toEqual([1, 2, 3, 4])
    for (const [index, file] of files.entries()) {
      const next = await openNextFile(path, file)
      expect(next && (await numbersIn(next))).toEqual(index === 3 ? undefined : [index + 2])
      expect(next?.isAfterGap).toBeUndefined()
      if (next !== undefined) closeQuietly(next)
    }
    files.forEach(closeQuietly)
  })
})

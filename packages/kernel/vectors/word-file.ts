// The words of a collection as a file: one full block after the other, each with a checksum. Blocks never change, so the
// file only grows; a crash leaves the blocks before the one that was being written.
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { bagFormat } from './bag.ts'
import { type BlockData, maxBlockChunks, WordBlock } from './word-block.ts'

/** A change of anything below gets a new number. */
const format = bagFormat * 256 + 1
const magic = 0x57_4c_54_41
const headNumbers = 8
const headBytes = headNumbers * 4
const maxTerms = 2 ** 26

export interface LoadedWords {
  blocks: WordBlock[]
  /** Where the next one belongs. */
  bytes: number
}

/** The blocks that are whole and of this collection. */
export async function loadWords(file: string, key: string): Promise<LoadedWords> {
  const loaded: LoadedWords = { blocks: [], bytes: 0 }
  const handle = await open(file, 'r').catch(() => undefined)
  if (handle === undefined) return loaded
  try {
    for (let next = await readBlock(handle, key, 0); next !== undefined; ) {
      loaded.blocks.push(next.block)
      loaded.bytes += next.bytes
      next = await readBlock(handle, key, loaded.bytes)
    }
    return loaded
  } finally {
    await handle.close()
  }
}

/** Returns where the next one belongs. */
export async function appendWords(
  file: string,
  key: string,
  at: number,
  blocks: readonly WordBlock[],
): Promise<number> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const handle = await open(file, at === 0 ? 'w' : 'r+', 0o600)
  try {
    let end = at
    for (const { data } of blocks) {
      const body = bodyOf(data)
      const { numbers, terms, postings, lastBagSum } = data
      const counts = [numbers.length, terms.length, postings.length, lastBagSum]
      const head = Uint32Array.of(magic, format, sumOfKey(key), ...counts, crc32(body))
      await handle.write(Buffer.concat([new Uint8Array(head.buffer), body]), 0, headBytes + body.length, end)
      end += headBytes + body.length
    }
    await handle.truncate(end)
    await handle.sync()
    return end
  } finally {
    await handle.close()
  }
}

const sumOfKey = (key: string): number => crc32(key)

/** The widest numbers first, so that each list lies at an address that suits it. */
const listsOf = ({ numbers, owners, terms, starts, lengths, postings }: BlockData) =>
  [numbers, owners, terms, starts, lengths, postings] as const

const bodyOf = (data: BlockData): Buffer =>
  Buffer.concat(listsOf(data).map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)))

async function readBlock(
  handle: FileHandle,
  key: string,
  at: number,
): Promise<{ block: WordBlock; bytes: number } | undefined> {
  const head = new Uint32Array(headNumbers)
  const { bytesRead } = await handle.read(new Uint8Array(head.buffer), 0, headBytes, at)
  if (bytesRead < headBytes) return undefined
  const [mark, version, keySum, chunks = 0, terms = 0, postings = 0, lastBagSum = 0, sum] = head
  const isOurs = mark === magic && version === format && keySum === sumOfKey(key)
  if (!isOurs || chunks > maxBlockChunks || terms > maxTerms || postings > maxTerms) return undefined
  const bytes = chunks * 18 + terms * 4 + (terms + 1) * 4 + postings * 2
  const body = new Uint8Array(bytes)
  const read = await handle.read(body, 0, bytes, at + headBytes)
  if (read.bytesRead < bytes || crc32(body) !== sum) return undefined
  let offset = 0
  const take = <List>(
    List: new (buffer: ArrayBuffer, offset: number, length: number) => List,
    size: number,
    length: number,
  ): List => {
    const list = new List(body.buffer, offset, length)
    offset += size * length
    return list
  }
  const data: BlockData = {
    numbers: take(Float64Array, 8, chunks),
    owners: take(Float64Array, 8, chunks),
    terms: take(Uint32Array, 4, terms),
    starts: take(Uint32Array, 4, terms + 1),
    lengths: take(Uint16Array, 2, chunks),
    postings: take(Uint16Array, 2, postings),
    lastBagSum,
  }
  return { block: new WordBlock(data), bytes: headBytes + bytes }
}

// All that the encoder reads, in memory that threads share.
import { readFileSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { makeTokenTable, type TokenTable } from './byte-pairs.ts'
import { growTree, type PieceTree, shared } from './piece-tree.ts'
import { strangerSizeFor, type VectorTable } from './piece-vectors.ts'

const folder = new URL('../../../../weights/embeddings/', import.meta.url)

interface AboutModel {
  /** Which model made a vector: those of another one cannot be compared with it. */
  name: string
  pieces: number
  numbers: number
  /** What a likeness by meaning counts beside one by words; found when the model was trained. */
  meaningWeight: number
}

export interface EncoderTables {
  tree: PieceTree
  vectors: VectorTable
  tokens: TokenTable
}

/** A few numbers, read at once. */
export const aboutModel: AboutModel = JSON.parse(readFileSync(new URL('model.json', folder), 'utf8'))

/** In a thread of its own, which has ended then: nobody else is held up. */
export function makeTables(): Promise<EncoderTables> {
  const { promise, resolve, reject } = Promise.withResolvers<EncoderTables>()
  const worker = new Worker(new URL('./tables-thread.ts', import.meta.url), {
    name: 'embedding tables',
    // What it makes in passing is thrown away early, and not grown into memory.
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  })
  let made: EncoderTables | undefined
  worker.once('message', (tables: EncoderTables) => {
    made = tables
  })
  worker.once('error', reject)
  worker.once('exit', (code) => {
    if (made === undefined) reject(new Error(`the tables of the embedding model were not made: ${code}`))
    else resolve(made)
  })
  return promise
}

export async function loadTables(): Promise<EncoderTables> {
  const [vocabulary, rows, scaleBytes, { default: tokens }] = await Promise.all([
    readFile(new URL('vocabulary.txt', folder), 'utf8'),
    readRows(),
    readFile(new URL('scales.f32', folder)),
    import('gpt-tokenizer/bpeRanks/cl100k_base'),
  ])
  const { pieces, numbers } = aboutModel
  const texts = vocabulary.replace(/\n$/, '').split('\n')
  refuseDamaged('vocabulary.txt', texts.length, pieces)
  refuseDamaged('scales.f32', scaleBytes.length, pieces * Float32Array.BYTES_PER_ELEMENT)
  const scales = shared(Float32Array, pieces)
  for (let piece = 0; piece < pieces; piece++) scales[piece] = scaleBytes.readFloatLE(piece * 4)
  const strangerSize = strangerSizeFor({ numbers, rows, scales })
  const vectors = { numbers, rows, scales, strangerSize }
  return { tree: growTree(texts), vectors, tokens: makeTokenTable(tokens) }
}

/** Straight to where it stays. */
async function readRows(): Promise<Int8Array> {
  const file = await open(new URL('table.i8', folder))
  try {
    const { size } = await file.stat()
    refuseDamaged('table.i8', size, aboutModel.pieces * aboutModel.numbers)
    const rows = shared(Int8Array, size)
    for (let at = 0; at < size; ) {
      const { bytesRead } = await file.read(rows, at, size - at, at)
      refuseDamaged('table.i8', Math.min(1, bytesRead), 1)
      at += bytesRead
    }
    return rows
  } finally {
    await file.close()
  }
}

function refuseDamaged(name: string, found: number, expected: number): void {
  if (found !== expected) throw new Error(`weights/embeddings/${name} is damaged: ${found} in place of ${expected}`)
}

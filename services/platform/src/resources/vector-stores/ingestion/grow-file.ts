// One file: read, embedded and stored at the same time, so that the model waits for neither.
import type { DocumentChunk, Documents, ReadOptions } from '@atoll/documents/documents'
import type { Database, Tx } from '@atoll/kernel/db/database'
import { together } from '@atoll/kernel/db/together'
import type { RunningJob } from '@atoll/kernel/jobs/jobs'
import type { VectorChunk, Vectors } from '@atoll/kernel/vectors/vectors'
import type { ProjectCaller } from '../../../callers.ts'
import type { Files } from '../../files/service.ts'
import { noteEditionIn } from '../editions.ts'
import { type Embedder, type EmbeddingChoice, embeddedText } from '../embedder.ts'
import type { Attachment, Attachments } from '../files/attachments.ts'
import { inBatches } from './batches.ts'
import { Conflict } from './failure.ts'
import { inOrder } from './in-order.ts'
import type { Pace } from './pace.ts'
import type { StoringTurns } from './storing-turns.ts'

/** Two are with the model, one is being stored. */
const batchesAtOnce = 3
/** Others want to write as well. */
const chunksPerTransaction = 16
/** With so few it is over at once, and waits for no turn. */
const fewChunks = 2

interface EmbeddedChunk extends VectorChunk {
  /** Which model made its vector. */
  edition: string | null
}

/** Whether it comes with many others, and whether its pages are pictures. */
export type FileForm = Required<Pick<ReadOptions, 'isOneOfMany' | 'isScanned'>>

export interface FileReader {
  documents: Documents
  files: Files
  embedder: Embedder
}

interface Parts {
  db: Database
  attachments: Attachments
  vectors: Vectors
  reader: FileReader
  storing: StoringTurns
  /** Of the model. */
  pace: Pace
  form: FileForm
}

/** Resolves when the file is complete and the job has ended with it. */
export async function growFile(
  { db, attachments, vectors, reader, storing, pace, form }: Parts,
  job: RunningJob<EmbeddingChoice>,
  begun: Attachment,
  signal: AbortSignal,
): Promise<void> {
  let row = begun
  const caller = JSON.parse(row.caller) as ProjectCaller
  const storeSome = async (chunks: readonly EmbeddedChunk[], isLast: boolean): Promise<void> => {
    const work = async (tx: Tx): Promise<Attachment> => {
      const [first] = chunks
      // Together, since whoever else wants to write waits for every pause in between. The first sees what the store has
      // without these chunks.
      const [, grown] = await together([
        first && noteEditionIn(tx, row.store_id, first.edition),
        attachments.growIn(tx, row, chunks, isLast),
        isLast && job.finish(tx),
      ])
      if (grown === undefined) throw new Conflict()
      return grown
    }
    row = await db.transaction(work, { isLarge: chunks.length > fewChunks })
  }
  const inTurn = (chunks: readonly EmbeddedChunk[], isLast: boolean): Promise<void> =>
    chunks.length <= fewChunks
      ? storeSome(chunks, isLast)
      : storing.do(caller.projectId, () => storeSome(chunks, isLast))
  const store = async (chunks: readonly EmbeddedChunk[], isLast: boolean): Promise<void> => {
    const rest = Math.max(0, chunks.length - chunksPerTransaction)
    for (let at = 0; at < rest; at += chunksPerTransaction)
      await inTurn(chunks.slice(at, Math.min(rest, at + chunksPerTransaction)), false)
    await inTurn(chunks.slice(rest), isLast)
  }
  const failed = new AbortController()
  const reading = { caller, signal: AbortSignal.any([signal, failed.signal]), form }
  try {
    const batches = inBatches(chunksOf(reader, begun, reading), () => pace.tokens)
    const embed = async (batch: readonly DocumentChunk[]): Promise<EmbeddedChunk[]> => {
      const startedAt = performance.now()
      const chunks = await embedded(reader, job.payload, batch, reading)
      pace.note(tokensOf(batch), performance.now() - startedAt)
      return vectors.withWords(chunks)
    }
    await inOrder(batches, batchesAtOnce, embed, store)
  } catch (error) {
    failed.abort(error)
    throw error
  }
}

const tokensOf = (batch: readonly DocumentChunk[]): number => batch.reduce((sum, { tokens }) => sum + tokens, 0)

interface Reading {
  caller: ProjectCaller
  signal: AbortSignal
  form: FileForm
}

/** Those that follow what is stored already. */
async function* chunksOf({ documents, files }: FileReader, row: Attachment, { caller, signal, form }: Reading) {
  const { file, read } = await files.content(caller, row.file_id)
  const source = { filename: file.filename, bytes: file.bytes, read: () => read() }
  const sizes = { maxTokens: row.chunk_tokens, overlapTokens: row.overlap_tokens }
  yield* documents.chunks(source, sizes, { signal, turn: caller.projectId, from: row.chunks, ...form })
}

async function embedded(
  { embedder }: FileReader,
  choice: EmbeddingChoice,
  batch: readonly DocumentChunk[],
  { caller, signal }: Reading,
): Promise<EmbeddedChunk[]> {
  const texts = batch.map(embeddedText)
  const { vectors, edition } = await embedder.embed(caller, choice, texts, { signal, background: true })
  return batch.map(({ ordinal, heading, text }, index) => {
    return { ordinal, heading, text, vector: vectors[index] as Float32Array, edition }
  })
}

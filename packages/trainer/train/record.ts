// A training written down after a step, so that one that was killed goes on from there to the same end.

import { createHash } from 'node:crypto'
import { open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from '@atoll/kernel/blobs/durable-folders'
import type { OptimiserState } from './optimiser.ts'

export interface StepRecord<Progress> {
  /** What training it belongs to; another one begins anew. */
  identity: string
  step: number
  progress: Progress
  state: OptimiserState
}

const magic = 'ATOLLTRN'
const digestBytes = 32
const headBytes = magic.length + digestBytes + 4

/** Written whole or not at all. */
export async function writeRecord<Progress>(file: string, record: StepRecord<Progress>): Promise<void> {
  const { identity, step, progress, state } = record
  const head = Buffer.from(JSON.stringify({ identity, step, progress, numbers: state.parameters.length }))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(head.length)
  const parts = [length, head, ...[state.parameters, state.means, state.squares].map(bytesOf)]
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  const temporary = `${file}.new`
  const handle = await open(temporary, 'w', 0o600)
  try {
    await handle.writev([Buffer.from(magic), hash.digest(), ...parts])
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, file)
  await syncFolder(dirname(file))
}

/** Undefined: there is none, or none that is whole and belongs to this training. */
export async function readRecord<Progress>(file: string, identity: string): Promise<StepRecord<Progress> | undefined> {
  const bytes = await readFile(file).catch(() => undefined)
  if (bytes === undefined || bytes.length < headBytes) return undefined
  if (bytes.toString('latin1', 0, magic.length) !== magic) return undefined
  const digest = bytes.subarray(magic.length, magic.length + digestBytes)
  const rest = bytes.subarray(magic.length + digestBytes)
  if (!createHash('sha256').update(rest).digest().equals(digest)) return undefined
  const headEnd = 4 + rest.readUInt32LE(0)
  const head = JSON.parse(rest.toString('utf8', 4, headEnd)) as Omit<StepRecord<Progress>, 'state'> & {
    numbers: number
  }
  if (head.identity !== identity) return undefined
  const part = (nth: number): Float32Array => {
    const from = headEnd + 4 * nth * head.numbers
    return new Float32Array(Uint8Array.from(rest.subarray(from, from + 4 * head.numbers)).buffer)
  }
  const state = { parameters: part(0), means: part(1), squares: part(2) }
  return { identity, step: head.step, progress: head.progress, state }
}

// Shared memory cannot be written to a file as it is.
const bytesOf = (numbers: Float32Array): Buffer => Buffer.from(Float32Array.from(numbers).buffer)

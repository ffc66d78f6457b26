// Rows as text: one line each, an array in the order of the columns; bytes in base64.
import { crc32 } from 'node:zlib'
import type { Row, Value } from '../db/snapshot/snapshot.ts'
import { BackupProblem } from './problem.ts'

/** On average; where a line falls on the mark a chunk ends, so that one new row leaves the chunks of the others as they are. */
const meanRows = 1_024
const mostRows = 8 * meanRows
const mostBytes = 8 * 1024 * 1024

export const encodeRow = (row: Row): string => JSON.stringify(row.map(encoded))

const encoded = (value: Value): unknown =>
  value instanceof Uint8Array
    ? { base64: Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64') }
    : value

export function decodeRows(text: Buffer): Row[] {
  const lines = text.toString().split('\n')
  if (lines.pop() !== '') throw new BackupProblem('A chunk of rows does not end with a line.')
  return lines.map((line) => (JSON.parse(line) as unknown[]).map(decoded))
}

function decoded(value: unknown): Value {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  const { base64 } = value as { base64?: unknown }
  if (typeof base64 !== 'string') throw new BackupProblem('A chunk of rows holds a value of no known kind.')
  return Buffer.from(base64, 'base64')
}

interface Lines {
  text: Buffer
  rows: number
}

/** Cuts lines into chunks by what is in them. */
export async function* inChunks(lines: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Lines> {
  let gathered: Buffer[] = []
  let bytes = 0
  for await (const line of lines) {
    const encodedLine = Buffer.from(`${line}\n`)
    gathered.push(encodedLine)
    bytes += encodedLine.length
    const isMark = crc32(encodedLine) % meanRows === 0
    if (!isMark && gathered.length < mostRows && bytes < mostBytes) continue
    yield { text: Buffer.concat(gathered), rows: gathered.length }
    gathered = []
    bytes = 0
  }
  if (gathered.length > 0) yield { text: Buffer.concat(gathered), rows: gathered.length }
}

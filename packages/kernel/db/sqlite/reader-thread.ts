// A thread that reads. Its imports are few because every thread pays for its own.
import { parentPort, workerData } from 'node:worker_threads'
import { failureOf } from './prepared.ts'
import type { Rows } from './protocol.ts'
import { Reader, type Row } from './reader.ts'
import type { ReadReply, ReadRequest } from './reading.ts'
import { byteSize } from './value-bytes.ts'

const pieceBytes = 256 * 1024

if (!parentPort) throw new Error('a reader runs as a worker thread')
const port = parentPort
const reader = new Reader(workerData as string)
let open: Iterator<Row> | undefined

port.on('message', (request: ReadRequest) => {
  if (request.kind === 'close') close()
  else port.postMessage(answer(request))
})

function answer(request: Exclude<ReadRequest, { kind: 'close' }>): ReadReply {
  try {
    if (request.kind === 'read') open = reader.iterate(request.sql, request.values)
    return nextPiece()
  } catch (error) {
    open = undefined
    return { kind: 'failed', failure: failureOf(error) }
  }
}

function nextPiece(): ReadReply {
  const rows: Rows = { columns: [], values: [] }
  for (let bytes = 0; bytes < pieceBytes; ) {
    const next = open?.next()
    if (next === undefined || next.done) return { kind: 'rows', rows, more: false }
    if (rows.columns.length === 0) rows.columns = Object.keys(next.value)
    for (const column of rows.columns) {
      const value = next.value[column] ?? null
      rows.values.push(value)
      bytes += byteSize(value)
    }
  }
  return { kind: 'rows', rows, more: true }
}

function close(): void {
  reader.close()
  port.close()
}

// Opens a database as a server does, and loses its writer in the middle of a write: node writer-dies.ts FOLDER
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { silentLog } from '@atoll/testkit/silent-log'
import { sql } from 'kysely'
import { openDatabase } from '../../open.ts'

const [folder = ''] = process.argv.slice(2)
const started = once(process, 'worker') as Promise<[Worker]>
const db = await openDatabase({ kind: 'sqlite', folder }, { log: silentLog })
const [writer] = await started
void writer.terminate()
await sql`create table items (id text)`.execute(db.queries).catch((error: Error) => {
  process.stdout.write(`refused: ${error.message}\n`)
})
// A server would be waiting for requests.
setInterval(() => {}, 1_000)

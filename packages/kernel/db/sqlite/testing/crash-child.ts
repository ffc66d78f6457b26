// A program that writes without pause and tells each acknowledged write, until it is killed.
import '@atoll/testkit/keep-compiled'
import { sql } from 'kysely'
import type { Log } from '../../../telemetry/log.ts'
import { openDatabase } from '../../open.ts'

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log }
const [folder, round] = process.argv.slice(2)
const db = await openDatabase({ kind: 'sqlite', folder: folder ?? '' }, { log })
await sql`create table if not exists singles (id text primary key)`.execute(db.queries)
await sql`create table if not exists pairs (id text, half text, primary key (id, half))`.execute(db.queries)

async function writeSingles(writer: number): Promise<never> {
  for (let n = 0; ; n++) {
    const id = `${round}-${writer}-${n}`
    await sql`insert into singles values (${id})`.execute(db.queries)
    process.stdout.write(`single ${id}\n`)
  }
}

async function writePairs(writer: number): Promise<never> {
  for (let n = 0; ; n++) {
    const id = `${round}-${writer}-${n}`
    await db.transaction(async (tx) => {
      await sql`insert into pairs values (${id}, 'left')`.execute(tx)
      await sql`insert into pairs values (${id}, 'right')`.execute(tx)
    })
    process.stdout.write(`pair ${id}\n`)
  }
}

await Promise.all([0, 1, 2, 3].flatMap((writer) => [writeSingles(writer), writePairs(writer)]))

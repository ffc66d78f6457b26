import { fullScans } from '@atoll/testkit/full-scans'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from './database.ts'
import { openDatabase } from './open.ts'
import type { CompiledStatement } from './statements.ts'
import { compiledStatements } from './statements.ts'

let db: Database

beforeAll(async () => {
  db = await openDatabase({ kind: 'sqlite', folder: await tempDir() }, { log: silentLog })
  await sql`create table notes (id text primary key, owner text, position integer, text text)`.execute(db.queries)
  await sql`create index notes_listed on notes (owner, position)`.execute(db.queries)
})

afterAll(() => db.close())

async function scansOf(text: string): Promise<string[]> {
  const heard: CompiledStatement[] = []
  const hear = (message: unknown) => heard.push(message as CompiledStatement)
  compiledStatements.subscribe(hear)
  await sql.raw(text).execute(db.queries)
  compiledStatements.unsubscribe(hear)
  return heard.flatMap(fullScans)
}

it.each([
  ["select * from notes where text = 'x'", ['notes']],
  ["update notes set text = 'y' where text = 'x'", ['notes']],
  ["select other.id from notes as other where other.text = 'x'", ['notes']],
  ["select * from notes where owner = 'me' order by position limit 2", []],
  ["select * from notes where id = 'x'", []],
  ['select * from notes order by id limit 2', []],
  ['select * from notes order by text limit 2', ['notes']],
])('%s', async (text, tables) => {
  expect(await scansOf(text)).toEqual(tables)
})

// Durable small writes through the kernel's writer, against one commit per write on the same disk.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Database } from '@atoll/kernel/db/database'
import { migrate } from '@atoll/kernel/db/migrate'
import type { Migration } from '@atoll/kernel/db/migration'
import { openDatabase } from '@atoll/kernel/db/open'
import { configureWriter } from '@atoll/kernel/db/sqlite/pragmas'
import { silentLog } from '@atoll/testkit/silent-log'

declare module '@atoll/kernel/db/database' {
  interface Tables {
    bench_rows: { id: string; project: string; created_at: number; body: string }
  }
}

const writers = 64
const rounds = 5
const roundMs = 1_000
const warmUpMs = 1_000
const goal = 5

/** A contender writes rows until the time is up and returns how many are durable. */
type Contender = (deadline: number) => Promise<number>

const table: Migration = {
  name: 'bench/0001-rows',
  async up(db) {
    await db.schema
      .createTable('bench_rows')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('project', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .execute()
  },
}

let rows = 0
const nextRow = () => ({ id: `row-${rows++}`, project: 'project', created_at: rows, body: 'x'.repeat(120) })

export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-writer-'))
  const db = await openDatabase({ kind: 'sqlite', folder }, { log: silentLog })
  await migrate(db, [table])
  const plain = await openPlain(folder)
  try {
    const rates = await measure([
      [`kernel, ${writers} writers`, kernelWrites(db)],
      ['one commit per write', repeatedly(plainInsert(plain))],
      [`kernel, ${writers} transactions`, kernelTransactions(db)],
      ['one commit per transaction', repeatedly(plainTransaction(plain))],
    ])
    report(rates)
  } finally {
    plain.close()
    await db.close()
    await rm(folder, { recursive: true })
  }
}

/** The same table, made by the same migration, with the same settings, without the kernel's writer. */
async function openPlain(folder: string): Promise<DatabaseSync> {
  const plainFolder = join(folder, 'plain')
  const db = await openDatabase({ kind: 'sqlite', folder: plainFolder }, { log: silentLog })
  await migrate(db, [table])
  await db.close()
  const plain = new DatabaseSync(join(plainFolder, 'atoll.db'))
  configureWriter(plain)
  return plain
}

function kernelWrites(db: Database): Contender {
  return concurrently(async () => {
    await db.queries.insertInto('bench_rows').values(nextRow()).execute()
  })
}

function kernelTransactions(db: Database): Contender {
  return concurrently(() =>
    db.transaction(async (tx) => {
      await tx.selectFrom('bench_rows').select('body').where('id', '=', 'row-0').executeTakeFirst()
      await tx.insertInto('bench_rows').values(nextRow()).execute()
    }),
  )
}

function concurrently(write: () => Promise<void>): Contender {
  return async (deadline) => {
    let count = 0
    const writer = async () => {
      for (; performance.now() < deadline; count++) await write()
    }
    await Promise.all(Array.from({ length: writers }, writer))
    return count
  }
}

/** Synchronous, so that nothing but SQLite and the disk is measured. */
function repeatedly(write: () => void): Contender {
  return async (deadline) => {
    let count = 0
    for (; performance.now() < deadline; count++) write()
    return count
  }
}

function plainInsert(db: DatabaseSync): () => void {
  const insert = db.prepare('insert into bench_rows (id, project, created_at, body) values (?, ?, ?, ?)')
  return () => {
    const row = nextRow()
    insert.run(row.id, row.project, row.created_at, row.body)
  }
}

function plainTransaction(db: DatabaseSync): () => void {
  const insert = plainInsert(db)
  const select = db.prepare("select body from bench_rows where id = 'row-0'")
  return () => {
    db.exec('BEGIN IMMEDIATE')
    select.get()
    insert()
    db.exec('COMMIT')
  }
}

/** Rates per second of every round. The order turns with each round: the disk and the machine drift. */
async function measure(contenders: [name: string, Contender][]): Promise<Map<string, number[]>> {
  const rates = new Map<string, number[]>(contenders.map(([name]) => [name, []]))
  for (const [, run] of contenders) await run(performance.now() + warmUpMs)
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const startedAt = performance.now()
      const count = await run(startedAt + roundMs)
      rates.get(name)?.push((count * 1000) / (performance.now() - startedAt))
    }
  }
  return rates
}

function report(rates: Map<string, number[]>): void {
  console.log(`durable small writes, ${rounds} rounds of ${roundMs / 1000} s, per second`)
  for (const [name, values] of rates) {
    const figures = [median(values), Math.min(...values), Math.max(...values)].map((rate) => Math.round(rate))
    console.log(`  ${name.padEnd(28)} median ${figures[0]}, from ${figures[1]} to ${figures[2]}`)
  }
  const [kernel, plain, transactions, plainTransactions] = [...rates.values()]
  if (kernel && plain) console.log(`  ratio of writes ${ratio(kernel, plain)} (goal: at least ${goal})`)
  if (transactions && plainTransactions)
    console.log(`  ratio of transactions ${ratio(transactions, plainTransactions)}`)
}

/** Median of the rounds' own ratios: both sides of a round met the same disk. */
function ratio(ours: number[], theirs: number[]): string {
  const each = ours.map((rate, round) => rate / (theirs[round] ?? Number.NaN))
  return `${median(each).toFixed(1)}, from ${Math.min(...each).toFixed(1)} to ${Math.max(...each).toFixed(1)}`
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

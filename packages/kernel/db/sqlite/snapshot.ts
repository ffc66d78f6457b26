// The embedded database at one moment: a reading transaction sees nothing of what is written after it began.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { inOrderOfReferences } from '../snapshot/references.ts'
import type { ColumnType, Row, Snapshot, TableShape, Value } from '../snapshot/snapshot.ts'
import { configureReader } from './pragmas.ts'

export async function openSqliteSnapshot(folder: string): Promise<Snapshot> {
  const file = join(folder, 'atoll.db')
  if (!existsSync(file)) throw new Error(`there is no database in ${folder}`)
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    configureReader(db)
    db.exec('BEGIN')
    // The moment is that of the first read.
    const tables = inOrderOfReferences(tableNames(db).map((name) => shapeOf(db, name)))
    return { tables, rows: (table, most) => rowsOf(db, table, most), close: async () => db.close() }
  } catch (error) {
    db.close()
    throw error
  }
}

const tableNames = (db: DatabaseSync): string[] =>
  db
    .prepare(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name",
    )
    .all()
    .map(({ name }) => String(name))

interface ColumnInfo {
  name: string
  type: string
  pk: number
}

const columnsOf = (db: DatabaseSync, table: string): ColumnInfo[] =>
  db.prepare('select name, type, pk from pragma_table_info(?)').all(table) as unknown as ColumnInfo[]

function shapeOf(db: DatabaseSync, name: string): TableShape {
  const foreign = db.prepare('select distinct "table" as name from pragma_foreign_key_list(?)').all(name)
  return {
    name,
    columns: columnsOf(db, name).map((column) => ({ name: column.name, type: typeOf(name, column) })),
    references: foreign.map((other) => String(other.name)),
  }
}

const types: Record<string, ColumnType> = {
  text: 'text',
  bigint: 'integer',
  integer: 'integer',
  'double precision': 'number',
  real: 'number',
  blob: 'bytes',
}

function typeOf(table: string, { name, type }: ColumnInfo): ColumnType {
  const known = types[type.toLowerCase()]
  if (known === undefined) throw new Error(`The column ${table}.${name} has the unknown type ${type}.`)
  return known
}

async function* rowsOf(db: DatabaseSync, table: TableShape, most: number): AsyncGenerator<Row[]> {
  const keys = columnsOf(db, table.name)
    .filter(({ pk }) => pk > 0)
    .sort((a, b) => a.pk - b.pk)
    .map(({ name }) => quoted(name))
  const columns = table.columns.map(({ name }) => quoted(name)).join(', ')
  const statement = db.prepare(`select ${columns} from ${quoted(table.name)} order by ${keys.join(', ') || 'rowid'}`)
  let page: Row[] = []
  for (const row of statement.iterate()) {
    page.push(Object.values(row) as Value[])
    if (page.length < most) continue
    yield page
    page = []
    await nextTurn()
  }
  if (page.length > 0) yield page
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

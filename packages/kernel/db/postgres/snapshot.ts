// A PostgreSQL database at one moment: a transaction that reads, on a connection of its own, by way of cursors.
import type { Log } from '../../telemetry/log.ts'
import { inOrderOfReferences } from '../snapshot/references.ts'
import type { ColumnType, Row, Snapshot, TableShape, Value } from '../snapshot/snapshot.ts'
import { connect } from './connection.ts'

type Client = Awaited<ReturnType<typeof connect>>

export async function openPostgresSnapshot(url: string, log: Log): Promise<Snapshot> {
  const client = await connect(url)
  client.on('error', (error) => log.warn({ err: error }, 'lost the connection of a snapshot'))
  try {
    // A copy takes as long as it takes.
    await client.query('set statement_timeout = 0')
    await client.query('set idle_in_transaction_session_timeout = 0')
    await client.query('begin isolation level repeatable read read only')
    const tables = inOrderOfReferences(await shapesOf(client))
    return { tables, rows: (table, most) => rowsOf(client, table, most), close: () => client.end() }
  } catch (error) {
    await client.end()
    throw error
  }
}

const types: Record<string, ColumnType> = {
  text: 'text',
  bigint: 'integer',
  integer: 'integer',
  'double precision': 'number',
  bytea: 'bytes',
}

async function shapesOf(client: Client): Promise<TableShape[]> {
  const { rows: columns } = await client.query<{ table_name: string; column_name: string; data_type: string }>(
    `select c.table_name, c.column_name, c.data_type
     from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'
     order by c.table_name collate "C", c.ordinal_position`,
  )
  const { rows: foreign } = await client.query<{ from_table: string; to_table: string }>(
    `select distinct a.relname as from_table, b.relname as to_table
     from pg_constraint k join pg_class a on a.oid = k.conrelid join pg_class b on b.oid = k.confrelid
     where k.contype = 'f' and a.relnamespace = current_schema()::regnamespace`,
  )
  const shapes = new Map<string, TableShape>()
  for (const { table_name: name, column_name, data_type } of columns) {
    const type = types[data_type]
    if (type === undefined) throw new Error(`The column ${name}.${column_name} has the unknown type ${data_type}.`)
    const shape = shapes.get(name) ?? { name, columns: [], references: [] }
    shape.columns.push({ name: column_name, type })
    shapes.set(name, shape)
  }
  for (const { from_table, to_table } of foreign) shapes.get(from_table)?.references.push(to_table)
  return [...shapes.values()]
}

async function* rowsOf(client: Client, table: TableShape, most: number): AsyncGenerator<Row[]> {
  const keys = await keysOf(client, table.name)
  const columns = table.columns.map(({ name }) => quoted(name)).join(', ')
  const order = keys.length > 0 ? `order by ${keys.map(quoted).join(', ')}` : ''
  await client.query(`declare pages no scroll cursor for select ${columns} from ${quoted(table.name)} ${order}`)
  for (;;) {
    const { rows } = await client.query<Value[]>({ text: `fetch ${most} from pages`, rowMode: 'array' })
    if (rows.length === 0) break
    yield rows
  }
  await client.query('close pages')
}

async function keysOf(client: Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ attname: string }>(
    `select a.attname from pg_index i
     cross join lateral unnest(i.indkey) with ordinality as k (number, place)
     join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
     where i.indrelid = ($1)::regclass and i.indisprimary order by k.place`,
    [quoted(table)],
  )
  return rows.map(({ attname }) => attname)
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

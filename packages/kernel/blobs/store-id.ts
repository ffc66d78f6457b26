// The name of this installation's blobs: kept beside the rows that refer to them, and in the bucket that holds them.
import type { Database, Queries } from '../db/database.ts'
import type { Migration } from '../db/migration.ts'
import type { Ids } from '../ids/ids.ts'

interface BlobStoreRow {
  /** There is one row. */
  one: string
  id: string
}

declare module '../db/database.ts' {
  interface Tables {
    blob_store: BlobStoreRow
  }
}

export const storeIdMigration: Migration = {
  name: 'kernel/0010-blob-store',
  async up(db) {
    await db.schema
      .createTable('blob_store')
      .addColumn('one', 'text', (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull())
      .execute()
  },
}

const theOne = 'one'

/** Several nodes may ask for it at the same first time: they get the same. */
export async function ownStoreId(db: Database, ids: Ids): Promise<string> {
  const row = { one: theOne, id: ids.hex() }
  await db.queries
    .insertInto('blob_store')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await readStoreId(db.queries)) ?? row.id
}

/** Undefined where there was never a bucket. */
export async function readStoreId(queries: Queries): Promise<string | undefined> {
  const row = await queries.selectFrom('blob_store').select('id').where('one', '=', theOne).executeTakeFirst()
  return row?.id
}

// The name of this installation's blobs: kept beside the rows that refer to them, and in the bucket that holds them.
import type { Database, Queries } from '../db/database.ts'
import type { Migration } from '../db/migration.ts'
import { OneRow } from '../db/one-row.ts'
import type { Ids } from '../ids/ids.ts'

const table = new OneRow('blob_store', 'id')

export const storeIdMigration: Migration = {
  name: 'kernel/0010-blob-store',
  up: (db) => table.createTable(db),
}

export const ownStoreId = (db: Database, ids: Ids): Promise<string> => table.fill(db.queries, ids.hex())

/** Undefined where there was never a bucket. */
export const readStoreId = (queries: Queries): Promise<string | undefined> => table.read(queries)

// The key that the nodes of one database share: whoever knows it may ask them what only nodes ask one another.
import { hash } from 'node:crypto'
import type { Database } from '../db/database.ts'
import type { Migration } from '../db/migration.ts'
import { OneRow } from '../db/one-row.ts'
import type { Ids } from '../ids/ids.ts'

const table = new OneRow('node_group', 'key')
const keyLetters = 64

export const groupMigration: Migration = {
  name: 'kernel/0012-node-group',
  async up(db) {
    await table.createTable(db)
    // Nodes of the version before say nothing of theirs.
    await db.schema
      .alterTable('nodes')
      .addColumn('address', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
  },
}

/** 32 bytes. */
export async function groupKey(db: Database, ids: Ids): Promise<Buffer> {
  return hash('sha256', await table.fill(db.queries, ids.secret(keyLetters)), 'buffer')
}

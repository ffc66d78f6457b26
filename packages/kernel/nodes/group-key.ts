// The key that the nodes of one database share: whoever knows it may ask them what only nodes ask one another.
import { hash } from 'node:crypto'
import type { Database } from '../db/database.ts'
import type { Migration } from '../db/migration.ts'
import type { Ids } from '../ids/ids.ts'

interface GroupKeyRow {
  /** There is one row. */
  one: string
  key: string
}

declare module '../db/database.ts' {
  interface Tables {
    node_group: GroupKeyRow
  }
}

export const groupMigration: Migration = {
  name: 'kernel/0012-node-group',
  async up(db) {
    await db.schema
      .createTable('node_group')
      .addColumn('one', 'text', (column) => column.primaryKey())
      .addColumn('key', 'text', (column) => column.notNull())
      .execute()
    // Nodes of the version before say nothing of theirs.
    await db.schema
      .alterTable('nodes')
      .addColumn('address', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
  },
}

const theOne = 'one'
const keyLetters = 64

/** Several nodes may ask for it at the same first time: they get the same. 32 bytes. */
export async function groupKey(db: Database, ids: Ids): Promise<Buffer> {
  await db.queries
    .insertInto('node_group')
    .values({ one: theOne, key: ids.secret(keyLetters) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const row = await db.queries
    .selectFrom('node_group')
    .select('key')
    .where('one', '=', theOne)
    .executeTakeFirstOrThrow()
  return hash('sha256', row.key, 'buffer')
}

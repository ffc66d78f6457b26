// Atoll as a later version may be: it brings the schema one step forward, by a step that versions before it can live
// with (it adds, and takes nothing away). Run by the test of rolling upgrades.
import type { Migration } from '@atoll/kernel/db/migration'
import { platformMigrations } from '@atoll/platform/migrations/migrations'
import { main } from '../main.ts'

const expand: Migration = {
  name: 'platform/9999-of-the-next-version',
  async up(db) {
    await db.schema.alterTable('messages').addColumn('of_the_next_version', 'text').execute()
    await db.schema
      .createTable('of_the_next_version')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .execute()
    await db.schema.createIndex('files_of_the_next_version').on('files').columns(['created_at']).execute()
  },
}

const migrations = platformMigrations as Migration[]
migrations.push(expand)
await main()

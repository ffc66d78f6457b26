import type { Migration } from '@atoll/kernel/db/migration'

const containersTable: Migration = {
  name: 'engine/0001-containers',
  async up(db) {
    await db.schema
      .createTable('engine_containers')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('record', 'text', (column) => column.notNull())
      .execute()
  },
}

/** Before, a container was a task's by its labels alone. */
const tasksMigration: Migration = {
  name: 'engine/0002-tasks',
  async up(db) {
    const tables = db.withTables<{ engine_containers: { id: string; record: string } }>()
    for (const { id, record } of await tables.selectFrom('engine_containers').selectAll().execute()) {
      const known = JSON.parse(record)
      const taskId = known.config?.Labels?.['com.docker.swarm.task.id']
      if (taskId === undefined) continue
      const changed = JSON.stringify({ ...known, taskId })
      await tables.updateTable('engine_containers').set({ record: changed }).where('id', '=', id).execute()
    }
  },
}

export const containerMigrations = [containersTable, tasksMigration]

// Containers in the database: one row each, the record as JSON.
import type { Queries } from '@atoll/kernel/db/database'
import type { ContainerRecord } from './record.ts'

declare module '@atoll/kernel/db/database' {
  interface Tables {
    engine_containers: { id: string; name: string; record: string }
  }
}

const rowOf = (record: ContainerRecord) => ({ id: record.id, name: record.name, record: JSON.stringify(record) })

export async function loadContainers(db: Queries): Promise<ContainerRecord[]> {
  const rows = await db.selectFrom('engine_containers').select('record').execute()
  return rows.map(({ record }) => JSON.parse(record) as ContainerRecord)
}

export async function insertContainer(db: Queries, record: ContainerRecord): Promise<void> {
  await db.insertInto('engine_containers').values(rowOf(record)).execute()
}

export async function saveContainer(db: Queries, record: ContainerRecord): Promise<void> {
  const { id, ...values } = rowOf(record)
  await db.updateTable('engine_containers').set(values).where('id', '=', id).execute()
}

export async function deleteContainer(db: Queries, id: string): Promise<void> {
  await db.deleteFrom('engine_containers').where('id', '=', id).execute()
}

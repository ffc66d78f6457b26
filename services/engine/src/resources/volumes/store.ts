import type { Queries } from '@atoll/kernel/db/database'

interface VolumeRow {
  name: string
  driver: string
  /** RFC 3339. */
  created_at: string
  /** JSON. */
  labels: string
  options: string
  /** Of one without a name: the container that it was made for. */
  made_for: string | null
}

declare module '@atoll/kernel/db/database' {
  interface Tables {
    engine_volumes: VolumeRow
  }
}

export const insertVolume = (queries: Queries, row: VolumeRow) =>
  queries.insertInto('engine_volumes').values(row).execute()

export const deleteVolume = (queries: Queries, name: string) =>
  queries.deleteFrom('engine_volumes').where('name', '=', name).execute()

export const allVolumes = (queries: Queries) =>
  queries.selectFrom('engine_volumes').selectAll().orderBy('name').execute()

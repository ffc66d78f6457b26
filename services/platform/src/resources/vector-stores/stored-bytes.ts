// What the vector stores of each project hold, for whoever measures it.
import { sql } from 'kysely'

/** A query: `project_id`, `bytes`. */
export const bytesByProject = sql`
  select vector_stores.project_id, sum(vector_store_files.usage_bytes) as bytes
  from vector_stores join vector_store_files on vector_store_files.store_id = vector_stores.id
  group by vector_stores.project_id`

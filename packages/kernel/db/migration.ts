import type { Kysely } from 'kysely'

/**
 * One step forward of the schema. Columns are portable: text, bigint, double precision; JSON as text; bytes as blob or
 * bytea (see vectors/migrations.ts). No step back.
 */
export interface Migration {
  /** `<owner>/<number>-<what>`, e.g. `platform/0001-identity`; owners' lists run in the order given. */
  name: string
  up(db: Kysely<unknown>): Promise<void>
}

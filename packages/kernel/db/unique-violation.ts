// SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_ROWID
const sqliteCodes: readonly unknown[] = [1555, 2067, 2579]
const postgresCode = '23505'

/** Whether a write failed because a row with the same unique key is there already, on either engine. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { errcode, code } = error as { errcode?: unknown; code?: unknown }
  return sqliteCodes.includes(errcode) || code === postgresCode
}

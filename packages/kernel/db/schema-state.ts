// How a database stands to the steps that this program knows.
import type { Migration } from './migration.ts'

/** Stands among the steps of a database that is being filled: nobody starts on it. */
export const unfinishedCopy = 'kernel/unfinished-copy'

export interface SchemaState {
  /** Steps that the next start takes, in their order. */
  pending: string[]
  /** Steps that only a newer version knows. */
  unknown: string[]
}

export const ownerOf = (name: string): string => name.slice(0, name.indexOf('/'))

/** Tables of services that do not run this time are nobody's business. */
export function schemaState(applied: ReadonlySet<string>, migrations: readonly Migration[]): SchemaState {
  const names = migrations.map(({ name }) => name)
  const known = new Set(names)
  const owners = new Set(names.map(ownerOf))
  return {
    pending: names.filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !known.has(name) && owners.has(ownerOf(name))),
  }
}

/** Why this program may not serve it; undefined: it may. */
export function refusal({ unknown }: SchemaState): string | undefined {
  if (unknown.length === 0) return undefined
  if (unknown.includes(unfinishedCopy)) {
    return 'the database was filled half-way by ./atoll restore or ./atoll move: run that again to its end'
  }
  return (
    `the database was written by a newer Atoll: it holds ${unknown.join(', ')}, which this version does not know; ` +
    'start the newer version, or restore a backup made before it'
  )
}

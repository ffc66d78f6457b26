// Every statement as it is compiled, for whoever wants to look at its plan: tests do, see testkit/full-scans.ts.
import { channel } from 'node:diagnostics_channel'

export interface CompiledStatement {
  sql: string
  /** SQLite's lines of EXPLAIN QUERY PLAN; throws where the statement is about a table that is not there yet. */
  plan(): string[]
  /** The names of all tables. */
  tables(): string[]
}

export const compiledStatements = channel('atoll:db:compiled')

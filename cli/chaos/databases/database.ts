// A PostgreSQL for a group, and what can happen to it.
import type { DatabaseServer } from '../balancer.ts'

export interface GroupDatabase {
  /** How it is run, for the report. */
  what: string
  servers: readonly DatabaseServer[]
  /** Where nodes reach it at this address. */
  url(host: string, port: number): string
  /** kill -9 of whoever takes writes. Resolves when somebody does again. */
  killPrimary(): Promise<void>
  /** Its processes stand still meanwhile. */
  freeze(work: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

// The database port. Stores are written once against it; SQLite and PostgreSQL stand behind it.
import type { Kysely, Transaction } from 'kysely'

/**
 * Every table of the house. A store declares its own rows by augmentation:
 * `declare module '@atoll/kernel/db/database' { interface Tables { files: FileRow } }`
 */
export interface Tables {}

/** What store functions take: the database itself or an open transaction. */
export type Queries = Kysely<Tables>
export type Tx = Transaction<Tables>

export interface TransactionOptions {
  /** It writes much: what was written before it becomes durable without it. */
  isLarge?: boolean
}

export interface Database {
  readonly kind: 'sqlite' | 'postgres'
  /** A read sees every write acknowledged before it. A single write outside a transaction is durable when its promise resolves. */
  readonly queries: Queries
  /**
   * Runs `work` as if alone (serializable) and commits durably, or changes nothing.
   * `work` does database calls only, and may run more than once: PostgreSQL asks for it on conflicts.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>
  /**
   * A transaction whose statements build on nothing that one of them gives back: they only write. They go to SQLite's
   * writer thread in one message, and nothing waits in between.
   */
  batch<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Runs `effect` once the transaction is durable; never when it rolls back. */
  afterCommit(tx: Tx, effect: () => void): void
  /** On a connection whose statements may take as long as they take. */
  unhurried<T>(work: (queries: Queries) => Promise<T>): Promise<T>
  /** Resolves when the database answers; rejects when it does not. */
  ping(): Promise<void>
  close(): Promise<void>
}

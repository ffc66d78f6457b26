// How often transactions on SQLite wait for their statements: those sent together are one wait. Whoever else wants to
// write waits through all of them.
import { Turn } from '@atoll/kernel/db/sqlite/turn'
import { onTestFinished, vi } from 'vitest'

export interface WatchedTransaction {
  statements: string[]
  waits: number
}

/** Of all transactions that begin from now on until the end of the test, in their order. */
export function watchTransactions(): WatchedTransaction[] {
  const watched: WatchedTransaction[] = []
  const open = new WeakMap<Turn, WatchedTransaction & { running: number }>()
  const { execute } = Turn.prototype
  const spy = vi.spyOn(Turn.prototype, 'execute').mockImplementation(async function (this: Turn, sql, values) {
    const transaction = open.get(this) ?? { statements: [], waits: 0, running: 0 }
    if (!open.has(this)) watched.push(transaction)
    open.set(this, transaction)
    transaction.statements.push(sql)
    if (transaction.running++ === 0) transaction.waits++
    try {
      return await execute.call(this, sql, values)
    } finally {
      transaction.running--
    }
  })
  onTestFinished(() => spy.mockRestore())
  return watched
}

/** Those with a statement like this. */
export const waitsOf = (watched: readonly WatchedTransaction[], statement: string): number[] =>
  watched.filter(({ statements }) => statements.some((sql) => sql.includes(statement))).map(({ waits }) => waits)

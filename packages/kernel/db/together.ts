/**
 * Statements of one transaction that do not build on one another's results: SQLite's writer thread gets them without a
 * wait in between. Both databases run them in the order in which they were begun. It rejects like `Promise.all`, but not
 * before all of them have ended: none may come after the rollback.
 */
export async function together<const Statements extends readonly unknown[]>(
  statements: Statements,
): Promise<{ -readonly [At in keyof Statements]: Awaited<Statements[At]> }> {
  const all = Promise.all(statements)
  await Promise.allSettled([all, ...statements])
  return all
}

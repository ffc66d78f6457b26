// Several pieces of one work at once: the first failure ends the others, and nothing goes on when it is over.

/** Throws the first failure, after all have ended. */
export async function together<T>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController()
  const both = AbortSignal.any([signal, failed.signal])
  let first: { problem: unknown } | undefined
  await Promise.all(
    items.map(async (item) => {
      try {
        await work(item, both)
      } catch (problem) {
        first ??= { problem }
        failed.abort()
      }
    }),
  )
  signal.throwIfAborted()
  if (first !== undefined) throw first.problem
}

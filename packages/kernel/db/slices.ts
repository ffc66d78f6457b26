// Many rows are deleted some at a time, each time in a commit of their own, so that others write in between.

/** One transaction's worth. */
export const rowsAtOnce = 200

/** `deleteSome` resolves to what it has deleted, at most `limit` rows: as many as that, and there may be more. */
export async function deleteInSlices(
  deleteSome: (limit: number) => Promise<readonly unknown[]>,
  signal?: AbortSignal,
): Promise<void> {
  while ((await deleteSome(rowsAtOnce)).length === rowsAtOnce) signal?.throwIfAborted()
}

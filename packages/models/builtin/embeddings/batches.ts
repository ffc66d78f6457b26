/** In their order; a batch is full when either is reached. */
export function inBatches<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  max: { items: number; size: number },
): T[][] {
  const batches: T[][] = []
  let size = 0
  for (const item of items) {
    const last = batches.at(-1)
    const grown = size + sizeOf(item)
    if (last !== undefined && last.length < max.items && grown <= max.size) {
      last.push(item)
      size = grown
    } else {
      batches.push([item])
      size = sizeOf(item)
    }
  }
  return batches
}

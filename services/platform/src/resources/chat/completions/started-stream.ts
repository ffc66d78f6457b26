/** Waits for the first item, so that what goes wrong before it goes wrong here, where a status can still tell it. */
export async function startStream<Item>(source: AsyncGenerator<Item>): Promise<AsyncIterable<Item>> {
  let first: IteratorResult<Item> | undefined = await source.next()
  const iterator: AsyncIterator<Item> = {
    next() {
      if (first === undefined) return source.next()
      const step = Promise.resolve(first)
      first = undefined
      return step
    },
    // The generator has begun, so this always reaches its end: what it holds is given back.
    return: () => source.return(undefined),
  }
  return { [Symbol.asyncIterator]: () => iterator }
}

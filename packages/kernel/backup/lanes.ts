/** Works through a list, several at a time. The first error ends it once those under way have ended. */
export async function inLanes<T>(
  items: Iterable<T> | AsyncIterable<T>,
  lanes: number,
  work: (item: T) => Promise<void>,
) {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  let failure: { error: unknown } | undefined
  const lane = async (): Promise<void> => {
    while (failure === undefined) {
      try {
        const { value, done } = await iterator.next()
        if (done === true) return
        await work(value)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  if (failure !== undefined) throw failure.error
}

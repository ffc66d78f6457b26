// Several streams as one: each item as soon as its stream has it. When the reader stops, all of them are stopped.
export async function* merge<T>(streams: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const pending = new Map(streams.map((stream, index) => [index, step(index, stream)]))
  try {
    while (pending.size > 0) {
      const { index, result } = await Promise.race(pending.values())
      const stream = streams[index]
      if (result.done === true || stream === undefined) pending.delete(index)
      else {
        pending.set(index, step(index, stream))
        yield result.value
      }
    }
  } finally {
    for (const late of pending.values()) late.catch(() => undefined)
    await Promise.all(streams.map((stream) => stream.return(undefined).catch(() => undefined)))
  }
}

const step = async <T>(
  index: number,
  stream: AsyncGenerator<T>,
): Promise<{ index: number; result: IteratorResult<T> }> => ({
  index,
  result: await stream.next(),
})

// Reads a stream of JSON values, one to a line, as the engine tells of events and figures.

/** A longer line is none of ours. */
const maxLineLetters = 1024 * 1024

export async function* jsonLines<Value>(body: ReadableStream<Uint8Array>): AsyncGenerator<Value> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  let kept = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      kept += value
      const lines = kept.split('\n')
      kept = lines.pop() ?? ''
      if (kept.length > maxLineLetters) throw new Error('A line of the stream is too long.')
      for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as Value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

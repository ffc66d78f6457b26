// Reads a stream of server-sent events: the data of each, until `[DONE]` or the end.

export async function* serverSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  let kept = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      kept += value
      const blocks = kept.split(/\r?\n\r?\n/)
      kept = blocks.pop() ?? ''
      for (const block of blocks) {
        const data = dataOf(block)
        if (data === '[DONE]') return
        if (data !== '') yield data
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

const dataOf = (block: string): string =>
  block
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trimStart())
    .join('\n')

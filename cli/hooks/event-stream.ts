// Server-sent events, read as they come.

export interface ReceivedEvent {
  event: string
  id: string | undefined
  data: string
}

/** Of one event; no gateway sends more. */
const maxCharacters = 16 * 1024 * 1024

export async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<ReceivedEvent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true })
    if (text.length > maxCharacters) throw new Error('the server sent an event without end')
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) yield parse(block)
  }
}

function parse(block: string): ReceivedEvent {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    if (colon <= 0) continue
    const name = line.slice(0, colon)
    const value = line.slice(colon + 1).replace(/^ /, '')
    const before = fields.get(name)
    fields.set(name, name === 'data' && before !== undefined ? `${before}\n${value}` : value)
  }
  return { event: fields.get('event') ?? 'message', id: fields.get('id'), data: fields.get('data') ?? '' }
}

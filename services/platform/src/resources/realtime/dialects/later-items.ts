// Items and content parts in the later dialect: what the model says is `output_text` and `output_audio`.
type Fields = Record<string, unknown>

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

export function readLaterItem(item: unknown): unknown {
  if (!isObject(item) || !Array.isArray(item.content)) return item
  return { ...item, content: item.content.map(readPart) }
}

function readPart(part: unknown): unknown {
  if (!isObject(part) || part.type !== 'output_text') return part
  return { ...part, type: 'text' }
}

export function writeLaterItem(item: Fields): Fields {
  if (!Array.isArray(item.content)) return item
  return { ...item, content: item.content.map((part) => writeLaterPart(part as Fields, item.role === 'assistant')) }
}

export function writeLaterPart(part: Fields, isAnswer: boolean): Fields {
  if (part.type === 'audio') return { ...part, type: 'output_audio' }
  return isAnswer && part.type === 'text' ? { ...part, type: 'output_text' } : part
}

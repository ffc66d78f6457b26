// Events as they go over the wire. Padded, the pieces of an answer all have lengths of whole steps, so that whoever sees
// only the lengths of what is sent learns less of the words.
import { randomBytes } from 'node:crypto'
import type { ServerSentEvent } from '@atoll/kernel/http/reply'
import type { ResponseEvent } from './event.ts'

const paddingStep = 16

export async function* frames(
  stream: AsyncIterable<ResponseEvent>,
  { isPadded = false }: { isPadded?: boolean | undefined } = {},
): AsyncGenerator<ServerSentEvent> {
  for await (const event of stream) {
    yield { event: event.type, data: JSON.stringify(isPadded ? padded(event) : event) }
  }
}

function padded(event: ResponseEvent): ResponseEvent {
  if (!event.type.endsWith('.delta') || typeof event.delta !== 'string') return event
  const missing = paddingStep - (event.delta.length % paddingStep)
  return { ...event, obfuscation: randomBytes(missing).toString('base64url').slice(0, missing) }
}

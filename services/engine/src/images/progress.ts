// Progress as clients print it: lines of JSON. Trouble in the beginning is an answer with its status; later it is the
// last line.
import { Readable } from 'node:stream'
import { HttpError } from '@atoll/kernel/http/error'
import { bytes, type Reply } from '@atoll/kernel/http/reply'

/** As long as nothing was sent, an error can still be told with a status of its own. */
const graceMs = 1_500
const contentType = { 'content-type': 'application/json' }

/** Waits for the end or for the grace period, whichever comes first, and then sends what there is. */
export async function progressReply(messages: AsyncIterable<object>, isPatient = true): Promise<Reply> {
  const held: object[] = []
  const source = messages[Symbol.asyncIterator]()
  const deadline = Date.now() + graceMs
  let next = source.next()
  while (!isPatient || Date.now() < deadline) {
    const first = isPatient ? await Promise.race([next, pause(deadline - Date.now())]) : await next
    if (first === undefined) break
    if (first.done) return bytes(inChunks(held), contentType)
    held.push(first.value)
    next = source.next()
    if (!isPatient) break
  }
  return bytes(Readable.from(rest(held, next, source), { objectMode: false }), contentType)
}

/** Also what is there whole: some clients read several lines only from an answer that comes in chunks. */
const inChunks = (messages: readonly object[]): Readable =>
  Readable.from([Buffer.from(messages.map(line).join(''))], { objectMode: false })

/** Begins at once: trouble is a line of its own, also in the beginning. */
export function streamedReply(messages: AsyncIterable<object>): Reply {
  const source = messages[Symbol.asyncIterator]()
  return bytes(Readable.from(rest([], source.next(), source), { objectMode: false }), contentType)
}

async function* rest(
  held: readonly object[],
  first: Promise<IteratorResult<object>>,
  source: AsyncIterator<object>,
): AsyncGenerator<Buffer> {
  if (held.length > 0) yield Buffer.from(held.map(line).join(''))
  try {
    for (let item = await first; !item.done; item = await source.next()) yield Buffer.from(line(item.value))
  } catch (error) {
    yield Buffer.from(line(failure(error)))
  } finally {
    await source.return?.()
  }
}

const line = (message: object): string => `${JSON.stringify(message)}\r\n`

function failure(error: unknown): object {
  const message = error instanceof HttpError ? error.message : 'internal error'
  return { errorDetail: { message }, error: message }
}

function pause(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), Math.max(milliseconds, 0)).unref()
  })
}

// The text of an e-mail: who wrote to whom about what, the message, messages inside it, and the names of what is attached.
import { Buffer } from 'node:buffer'
import { type MarkedText, oneLine } from '../marks.ts'
import { innerHtmlText } from './html.ts'
import { type MessagePart, MimeParts, shownHeaders } from './mime-parts.ts'

/** A longer line is taken in pieces. */
const maxLineLength = 1024 ** 2
/** Of all headers that are shown. */
const maxHeaderLength = 2_000

/** A line of headers, or the line that mailboxes put before them. */
export const looksLikeEmail = (start: string): boolean =>
  /^(?:From [^\n]{3,200}\r?\n)?(?:[!-9;-~]{1,76}:[^\n]*\r?\n(?:[ \t][^\n]*\r?\n)*){2}/.test(start)

export async function* emailText(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<MarkedText> {
  const parts = new MimeParts()
  let isFirst = true
  const write = async function* (found: Iterable<MessagePart>): AsyncGenerator<MarkedText> {
    for (const part of found) {
      if (!isFirst) yield '\n\n'
      isFirst = false
      yield* partText(part)
    }
  }
  for await (const line of linesOf(pieces)) {
    if (line === undefined) yield ''
    else yield* write(parts.line(line))
  }
  yield* write(parts.end())
}

async function* partText(part: MessagePart): AsyncGenerator<MarkedText> {
  if (part.part === 'text') yield part.text.trim()
  else if (part.part === 'html') yield* innerHtmlText(once(part.text))
  else if (part.part === 'attachment') yield `Attachment: ${oneLine(part.name) || 'without a name'} (${part.type})`
  else yield* headText(part)
}

function* headText({ headers, depth }: MessagePart & { part: 'message' }): Generator<MarkedText> {
  const shown = shownHeaders(headers)
  const subject = shown.find(([name]) => name === 'Subject')?.[1]
  if (depth > 0) yield { mark: 'heading', level: depth + 1, text: subject ?? 'Message' }
  else if (subject !== undefined) yield { mark: 'title', text: subject }
  yield shown.map(([name, value]) => `${name}: ${oneLine(value).slice(0, maxHeaderLength)}`).join('\n')
}

async function* once(text: string): AsyncGenerator<string> {
  yield text
}

/** Bytes, one character each; undefined now and then: it is at work. */
async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string | undefined> {
  let held = ''
  let isFirst = true
  for await (const piece of pieces) {
    yield undefined
    const lines = (held + Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1')).split('\n')
    held = lines.pop() ?? ''
    for (const line of lines) {
      // The line that mailboxes put before a message is no part of it.
      if (!isFirst || !line.startsWith('From ')) yield line.endsWith('\r') ? line.slice(0, -1) : line
      isFirst = false
    }
    if (held.length > maxLineLength) {
      yield held
      held = ''
    }
  }
  if (held !== '') yield held
}

// What comes packed: messages that Cloud Pub/Sub pushes, with the data in base64, and mail in either form.
import { MappingProblem } from '../ports.ts'

type Payload = Record<string, unknown>

const isObject = (value: unknown): value is Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a push calls its message: it may come again, in another envelope. */
export function pubSubId({ message, subscription }: Payload): string | undefined {
  if (!isObject(message) || typeof subscription !== 'string') return undefined
  const { messageId } = message
  return typeof messageId === 'string' && messageId !== '' && messageId.length <= 200 ? messageId : undefined
}

/** The data, where it is JSON, with `pubsub` beside it; `text` where it is none. Undefined: it is no push. */
export function openPubSub({ message, subscription }: Payload): Payload | undefined {
  if (!isObject(message) || typeof subscription !== 'string') return undefined
  const { data = '', messageId, publishTime, attributes = {} } = message
  if (typeof data !== 'string') return undefined
  const text = Buffer.from(data, 'base64').toString('utf8')
  return { ...(jsonOf(text) ?? { text }), pubsub: { messageId, publishTime, subscription, attributes } }
}

function jsonOf(text: string): Payload | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export function readPubSub(payload: Payload): Payload {
  const opened = openPubSub(payload)
  if (opened === undefined) throw new MappingProblem('hook mapping requires a message that Pub/Sub pushed')
  return opened
}

/** As the preset's template wants it: `id` and `text`. Null: there is nothing to tell. */
export function readGmail(payload: Payload): Payload | null {
  const { messages } = payload
  if (Array.isArray(messages) && messages.every(isObject)) return messages.length === 0 ? null : mailsOf(messages)
  const { emailAddress, historyId } = openPubSub(payload) ?? {}
  if (typeof emailAddress !== 'string') {
    throw new MappingProblem('hook mapping requires messages, or a notification that Gmail pushed')
  }
  const text = `There is news in the mailbox of ${emailAddress}: its history goes on to ${String(historyId ?? '?')}.`
  return { id: `${emailAddress}:${String(historyId ?? '')}`, text }
}

function mailsOf(messages: readonly Payload[]): Payload {
  const [first] = messages
  const begin = messages.length === 1 ? 'A new email has come.' : `${messages.length} new emails have come.`
  return { id: textOf(first?.id), text: [begin, ...messages.map(mailText)].join('\n\n') }
}

const mailText = ({ from, subject, snippet, body }: Payload): string =>
  [`From: ${textOf(from)}`, `Subject: ${textOf(subject)}`, textOf(snippet), textOf(body)].join('\n').trimEnd()

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? `${value}` : '')

// What the model says in runs of a server that is killed: it searches, runs code and calls a function, in two answers
// with calls, and then tells what it got from each. All of it slowly, so that there is something to interrupt.
import type { ChatMessage, ChatRequest } from '@atoll/models/chat'
import type { Piece } from '../../../../testing/scripted-chat-model.ts'

const pause: Piece = { pauseMs: 20 }

export const opening = 'Let me look that up. '

/** In the file that is searched. */
export const passage = 'Guests pay 6 euros an evening.'

/** What the code prints is another word each time: what was run twice shows. */
const codeFor = (name: string): string =>
  [
    'import uuid',
    'word = uuid.uuid4().hex',
    `with open('/mnt/data/${name}.csv', 'w') as table: table.write(word)`,
    "print('printed', word)",
  ].join('\n')

export const printedWord = (logs: string): string | undefined => /printed ([0-9a-f]{32})/.exec(logs)?.[1]

export function answerOf({ messages, tools }: ChatRequest): Piece[] {
  const name = /Look up (thing-\d+)/.exec(messages.map(textOf).join('\n'))?.[1] ?? ''
  const hasCode = tools.some(({ name: tool }) => tool === 'code_interpreter')
  const lookedUp = outputOf(messages, 'look_up')
  const printed = outputOf(messages, 'code_interpreter')
  if (lookedUp !== undefined) return slowly(lastWords(name, lookedUp, printed))
  const lookUp: Piece = { call: 'look_up', arguments: ['{"what":', '"it"}'] }
  if (!hasCode) return [...slowly(opening), lookUp]
  if (printed !== undefined) return [pause, lookUp, pause]
  const search: Piece = { call: 'file_search', arguments: ['{"query":', '"what guests pay"}'] }
  const code: Piece = { call: 'code_interpreter', arguments: [JSON.stringify({ code: codeFor(name) })] }
  return [...slowly(opening), search, pause, code, pause]
}

export function lastWords(name: string, lookedUp: string, printed: string | undefined): string {
  const said = `The output was ${lookedUp}, and that is all there is to say.`
  if (printed === undefined) return said
  return `${said} ${passage} The word is ${printedWord(printed)}: [table](sandbox:/mnt/data/${name}.csv).`
}

const slowly = (text: string): Piece[] => text.split(/(?<= )/).flatMap((word) => [word, pause])

const textOf = ({ content }: ChatMessage): string => (typeof content === 'string' ? content : '')

/** What the function of that name gave, when it was called. */
function outputOf(messages: readonly ChatMessage[], name: string): string | undefined {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []))
  const id = calls.find((call) => call.function.name === name)?.id
  const output = messages.find((message) => message.role === 'tool' && message.tool_call_id === id)
  return id === undefined || output === undefined ? undefined : textOf(output)
}

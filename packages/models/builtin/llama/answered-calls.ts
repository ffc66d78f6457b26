// Small models tend to make a call again that has just been answered. Such an answer is asked for once more, in words.
import { isDeepStrictEqual } from 'node:util'
import type { ChatMessage, ChoiceDelta } from '../../chat.ts'
import { parsed } from './chat-prompt.ts'

interface MadeCall {
  name: string
  arguments: string
}

/** The calls since the user last said something that have their results. */
export function answeredCalls(messages: readonly ChatMessage[]): MadeCall[] {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
  if (since.at(-1)?.role !== 'tool') return []
  const answered = new Set(since.map((message) => (message.role === 'tool' ? message.tool_call_id : undefined)))
  return since.flatMap((message) =>
    message.role === 'assistant'
      ? (message.tool_calls ?? []).filter(({ id }) => answered.has(id)).map((call) => call.function)
      : [],
  )
}

/** The calls that the deltas of one choice add up to. */
function callsOf(deltas: readonly ChoiceDelta[]): MadeCall[] {
  const calls: MadeCall[] = []
  for (const { index, function: piece } of deltas.flatMap(({ delta }) => delta.tool_calls ?? [])) {
    const begun = calls[index] ?? { name: '', arguments: '' }
    calls[index] = { name: begun.name + (piece?.name ?? ''), arguments: begun.arguments + (piece?.arguments ?? '') }
  }
  return calls
}

const areRepeated = (calls: readonly MadeCall[], answered: readonly MadeCall[]): boolean =>
  calls.length > 0 && calls.every((call) => answered.some((one) => isSame(call, one)))

const isSame = (one: MadeCall, other: MadeCall): boolean =>
  one.name === other.name && isDeepStrictEqual(parsed(one.arguments), parsed(other.arguments))

/** Holds back calls until they are whole; when all of them were answered before, the choice is made again in words. */
export async function* unrepeated(
  choice: AsyncGenerator<ChoiceDelta>,
  answered: readonly MadeCall[],
  again: () => AsyncGenerator<ChoiceDelta>,
): AsyncGenerator<ChoiceDelta> {
  const held: ChoiceDelta[] = []
  for await (const delta of choice) {
    if (delta.delta.tool_calls === undefined && held.length === 0) yield delta
    else held.push(delta)
  }
  if (!areRepeated(callsOf(held), answered)) return yield* held
  for await (const delta of again()) if (delta.delta.role === undefined) yield delta
}

/** Words: no call in any syntax begins like this. */
export const wordsGrammar = 'root ::= [^<{[ \\t\\n] [^\\x00]*'

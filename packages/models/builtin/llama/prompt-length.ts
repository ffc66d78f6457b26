// How long a prompt is at least, told by its letters alone: what cannot fit is refused before anything is made of it.
import { ModelProblem } from '../../problem.ts'
import type { Prompt } from './protocol.ts'

export interface LengthBound {
  contextLength: number
  /** Undefined: the length of a text tells nothing about its tokens. */
  longestTokenBytes: number | undefined
}

/** Letters are UTF-16 units: a text has no fewer bytes. */
export function refuseLetters(letters: number, { contextLength, longestTokenBytes }: LengthBound, param: string): void {
  if (longestTokenBytes === undefined) return
  const tokens = Math.ceil(letters / longestTokenBytes)
  if (tokens >= contextLength) throw tooLong(contextLength, tokens, param, true)
}

/** As `refuseLetters`, for what is shown to the model as JSON. */
export function refuseJson(value: unknown, bound: LengthBound, param: string): void {
  const most = bound.contextLength * (bound.longestTokenBytes ?? 0)
  refuseLetters(jsonLetters(value, most), bound, param)
}

/** What templates show of a conversation whatever they are: an assistant's earlier words they may leave out. */
export function refusePrompt(prompt: Prompt, bound: LengthBound): void {
  switch (prompt.kind) {
    case 'read':
      return
    case 'text': {
      const { text, suffix = '' } = prompt
      if (typeof text === 'string') refuseLetters(text.length + suffix.length, bound, 'prompt')
      else if (text.length >= bound.contextLength) throw tooLong(bound.contextLength, text.length, 'prompt', false)
      else refuseLetters(suffix.length, bound, 'suffix')
      return
    }
    case 'chat': {
      const shown = prompt.messages.filter(({ role }) => role !== 'assistant')
      refuseLetters(
        shown.reduce((sum, { content }) => sum + content.trim().length, 0),
        bound,
        'messages',
      )
      if (shown.length >= bound.contextLength) throw tooLong(bound.contextLength, shown.length, 'messages', true)
    }
  }
}

export function tooLong(
  maxTokens: number,
  requestedTokens: number,
  param: string,
  /** There are more, not counted. */
  atLeast: boolean,
): ModelProblem {
  const count = atLeast ? `at least ${requestedTokens}` : requestedTokens
  const message = `This model's maximum context length is ${maxTokens} tokens. However, your ${param} resulted in ${count} tokens. Please reduce the length of the ${param}.`
  const detail = { kind: 'context_length', maxTokens, requestedTokens, param, ...(atLeast && { atLeast }) } as const
  return new ModelProblem(message, detail)
}

/** A template takes longer for a message than for its letters, and several times as long for JSON. */
const lettersPerMessage = 64
const jsonWeight = 3

/** How long it takes to read, in letters of plain text. */
export function readingWeight(prompt: Prompt): number {
  switch (prompt.kind) {
    case 'read':
      return 0
    case 'text':
      return prompt.text.length + (prompt.suffix?.length ?? 0)
    case 'chat': {
      const { messages, tools, responseSchema } = prompt
      const words = messages.reduce((sum, { content }) => sum + content.length + lettersPerMessage, 0)
      const calls = messages.flatMap((message) => message.tool_calls ?? [])
      return words + jsonWeight * jsonLetters([tools, responseSchema, calls])
    }
  }
}

/** Of all names and texts in it: its JSON is no shorter. Counts no further than needed. */
function jsonLetters(value: unknown, most = Number.POSITIVE_INFINITY): number {
  let letters = 0
  const open: unknown[] = [value]
  while (open.length > 0 && letters <= most) {
    const next = open.pop()
    if (typeof next === 'string') letters += next.length
    else if (Array.isArray(next)) for (const item of next) open.push(item)
    else if (typeof next === 'object' && next !== null) {
      for (const [key, item] of Object.entries(next)) {
        letters += key.length
        open.push(item)
      }
    } else letters++
  }
  return letters
}

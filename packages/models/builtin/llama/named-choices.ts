// Where a schema offers some words and the user's message holds exactly one of them, only that one can be chosen: small
// models often take another. What follows is the form alone; the prompt shows all choices.
import type { ChatMessage, ChatRequest } from '../../chat.ts'
import { isRecord } from '../../grammar/schema/schema-check.ts'
import type { FormRequest } from './constraints.ts'

/** Longer messages and larger schemas are left alone: looking would take longer than it is worth. */
const maxLetters = 200_000
const maxChoices = 64
const maxDepth = 8

export function withNamedChoices(request: ChatRequest): FormRequest {
  const { tools, toolChoice, parallelToolCalls, responseFormat } = request
  const form = { tools, toolChoice, parallelToolCalls, responseFormat }
  const said = lastUserText(request.messages)
  if (said === '' || said.length > maxLetters) return form
  const words = spacedWords(said)
  return {
    ...form,
    tools: tools.map((tool) =>
      tool.parameters === undefined ? tool : { ...tool, parameters: narrowed(tool.parameters, words, 0) },
    ),
    responseFormat:
      responseFormat.type === 'json_schema' && responseFormat.json_schema.schema !== undefined
        ? {
            ...responseFormat,
            json_schema: {
              ...responseFormat.json_schema,
              schema: narrowed(responseFormat.json_schema.schema, words, 0),
            },
          }
        : responseFormat,
  }
}

/** What was asked last, with what tools have answered since left out: they name choices that nobody made. */
function lastUserText(messages: readonly ChatMessage[]): string {
  const content = messages.findLast(({ role }) => role === 'user')?.content
  if (content === undefined || content === null) return ''
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

/** Lower case, words alone, with a space around each: ` a family car `. */
const spacedWords = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `

type Schema = Record<string, unknown>

/** Under these words a schema keeps others. Not `items`: of a list's entries some are named and others described. */
const inner = ['properties', 'anyOf'] as const

function narrowed(schema: Schema, words: string, depth: number): Schema {
  if (depth > maxDepth) return schema
  const changed = { ...schema }
  if (Array.isArray(schema.enum)) changed.enum = namedChoice(schema.enum, words)
  for (const word of inner) {
    const kept = schema[word]
    if (Array.isArray(kept)) changed[word] = kept.map((one) => (isRecord(one) ? narrowed(one, words, depth + 1) : one))
    else if (isRecord(kept)) changed[word] = narrowedFields(kept, words, depth)
  }
  return changed
}

/** A word that several fields offer may be meant for any of them: "from celsius" is not "to celsius". */
function narrowedFields(fields: Schema, words: string, depth: number): Schema {
  const entries = Object.entries(fields).map(([name, one]) => ({
    ...{ name, before: one, after: isRecord(one) ? narrowed(one, words, depth + 1) : one },
  }))
  const chosen = entries.flatMap(({ before, after }) => choiceOf(before, after) ?? [])
  const isShared = (choice: string | undefined) =>
    choice !== undefined && chosen.filter((one) => one === choice).length > 1
  return Object.fromEntries(
    entries.map(({ name, before, after }) => [name, isShared(choiceOf(before, after)) ? before : after]),
  )
}

/** What was left of the choices of a field; undefined where they are all there. */
function choiceOf(before: unknown, after: unknown): string | undefined {
  if (!isRecord(before) || !isRecord(after) || !Array.isArray(before.enum) || !Array.isArray(after.enum))
    return undefined
  return after.enum.length < before.enum.length ? after.enum.find((one) => typeof one === 'string') : undefined
}

/** Words that stand in many messages without being a choice. */
const common = new Set(
  'all any both first good high home last low more most new none normal now one open other work'.split(' '),
)
/** Shorter ones are found everywhere: the size "S", the blood type "A". */
const leastLetters = 3

/** The one choice that is named, also as a plural ("for beginners"); all of them, where none or several are. */
function namedChoice(choices: unknown[], words: string): unknown[] {
  const texts = choices.filter((one): one is string => typeof one === 'string')
  if (texts.length < 2 || choices.length > maxChoices) return choices
  const found = texts.map((text) => ({ text, words: spacedWords(text) }))
  if (found.some((one) => one.words.trim().length < leastLetters)) return choices
  const named = found.filter((one) => words.includes(one.words) || words.includes(pluralOf(one.words)))
  const [only, ...others] = named.filter((one) => !named.some((two) => two !== one && two.words.includes(one.words)))
  if (only === undefined || others.length > 0 || common.has(only.words.trim())) return choices
  if (isDenied(only.words, words)) return choices
  return choices.filter((one) => typeof one !== 'string' || one === only.text)
}

const pluralOf = (choice: string): string => `${choice.trimEnd()}s `

/** Up to two words before: "not a van", "I don't need the van" (of which the marks are gone). */
const denial = / (?:not|no|never|without|except|but|than|instead of|t) (?:\S+ ){0,2}$/

/** Whether the choice is named only to say that it is not meant, as far as the words before it tell. */
function isDenied(choice: string, words: string): boolean {
  const found = words.includes(choice) ? words.indexOf(choice) : words.indexOf(pluralOf(choice))
  return denial.test(words.slice(0, found + 1))
}

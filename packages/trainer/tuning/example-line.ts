// One line of a training file: a conversation that the model is to learn from.
import type { ChatMessage, FunctionTool } from '@atoll/models/chat'
import { z } from 'zod'

const Text = z.union([z.string(), z.array(z.strictObject({ type: z.literal('text'), text: z.string() })).min(1)])
const Call = z.strictObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string().min(1).max(64), arguments: z.string() }),
})
const name = z.string().optional()
const Weight = z.union([z.literal(0), z.literal(1)])

const Message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: Text, name }),
  z.strictObject({ role: z.literal('developer'), content: Text, name }),
  z.strictObject({ role: z.literal('user'), content: Text, name }),
  z.strictObject({ role: z.literal('tool'), content: Text, tool_call_id: z.string() }),
  z.strictObject({
    role: z.literal('assistant'),
    content: Text.nullish(),
    refusal: z.string().nullish(),
    name,
    weight: Weight.optional(),
    tool_calls: z.array(Call).min(1).max(128).optional(),
  }),
])
type Message = z.output<typeof Message>

const Tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().min(1).max(64),
    description: z.string().optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
    strict: z.boolean().nullish(),
  }),
})

const Line = z.strictObject({
  messages: z.array(Message).min(1).max(2_048),
  tools: z.array(Tool).max(128).optional(),
  parallel_tool_calls: z.boolean().optional(),
})

export interface ExampleLine {
  messages: ChatMessage[]
  /** How much each message counts; 0 for those that are only read. */
  weights: number[]
  tools: FunctionTool[]
}

/** Why a line cannot be learnt from, for its author. */
export class LineProblem extends Error {
  override readonly name = 'LineProblem'
}

/** Throws a LineProblem. */
export function readLine(text: string): ExampleLine {
  const { messages, tools } = parse(text)
  checkCalls(messages, tools)
  if (!messages.some((message) => message.role === 'assistant' && message.weight !== 0)) {
    throw new LineProblem("it has no message of the role 'assistant' to learn from")
  }
  return {
    messages,
    weights: messages.map((message) => (message.role === 'assistant' ? (message.weight ?? 1) : 0)),
    tools: (tools ?? []).map((tool) => tool.function),
  }
}

function parse(text: string): z.output<typeof Line> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new LineProblem('it is not valid JSON')
  }
  if (isDeeper(value, deepest)) throw new LineProblem(`its lists and objects are nested more than ${deepest} deep`)
  const read = Line.safeParse(value)
  if (read.success) return read.data
  const issue = read.error.issues[0]
  const where = issue?.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')
  throw new LineProblem(`${where ? `${where.replace(/^\./, '')}: ` : ''}${issue?.message ?? 'it has another form'}`)
}

/** A template goes down by calls: what is deeper than anybody writes would take the process with it. */
const deepest = 100

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1)))

function checkCalls(messages: readonly Message[], tools: readonly z.output<typeof Tool>[] | undefined): void {
  const names = new Set(tools?.map((tool) => tool.function.name))
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue
    if (!message.tool_calls && !message.content && !message.refusal) {
      throw new LineProblem(`messages[${index}]: an assistant's message has 'content' or 'tool_calls'`)
    }
    for (const { function: called } of message.tool_calls ?? []) {
      if (!names.has(called.name)) {
        throw new LineProblem(`messages[${index}]: it calls '${called.name}', which is not among the example's 'tools'`)
      }
      if (!isObject(called.arguments)) {
        throw new LineProblem(
          `messages[${index}]: the arguments of '${called.name}' are no JSON object, or one nested more than ${deepest} deep`,
        )
      }
    }
  }
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) && !isDeeper(value, deepest)
  } catch {
    return false
  }
}

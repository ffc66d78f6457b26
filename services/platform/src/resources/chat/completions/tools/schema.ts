// Functions the model may call, and how it is told which.
import { z } from 'zod'
import { noCustomTools, withRefusals } from '../../../../conventions/refused/schema.ts'

const maxTools = 128
const maxNameLetters = 64

const pattern = /^[a-zA-Z0-9_-]+$/
const patternWords = `string does not match pattern. Expected a string that matches the pattern '${pattern.source}'.`

/** Names of functions and of response formats. */
export const FunctionName = z.string().min(1).max(maxNameLetters).regex(pattern, patternWords)

/** A JSON Schema; what a model makes of it, the model says. */
export const JsonSchema = z.record(z.string(), z.unknown())

const FunctionDefinition = z.strictObject({
  name: FunctionName,
  description: z.string().optional(),
  parameters: JsonSchema.optional(),
})

const Tool = z.strictObject({
  type: z.literal('function'),
  function: FunctionDefinition.extend({ strict: z.boolean().nullish() }),
})

export const Tools = z.array(withRefusals({ custom: noCustomTools }, Tool)).max(maxTools)

export const ToolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: FunctionName }) }),
])

/** Deprecated: `tools` came after it. */
export const Functions = z.array(FunctionDefinition).min(1).max(maxTools)

/** Deprecated: `tool_choice` came after it. */
export const FunctionCallChoice = z.union([z.enum(['none', 'auto']), z.strictObject({ name: FunctionName })])

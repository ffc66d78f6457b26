// Grammars for answers that are tool calls: each with the name of a tool and arguments that follow its own schema.
import type { FunctionTool } from '../chat.ts'
import { ModelProblem } from '../problem.ts'
import { choice, type Expression, nothing, optional, sequence, text } from './gbnf.ts'
import { GrammarBuilder, GrammarTooLarge } from './grammar-builder.ts'
import { schemaRule } from './json-schema.ts'
import { anyObject } from './json-text.ts'
import { repeat } from './repetition.ts'
import { isRecord } from './schema/schema-check.ts'
import { type SchemaPlace, strictRuleBreach } from './schema/schema-problem.ts'
import type { ToolSyntax } from './tool-syntax.ts'

export interface ToolCallsOptions {
  choice: 'required' | { name: string }
  parallel: boolean
  maxCalls: number
  syntax: ToolSyntax
  /** The syntax's trigger has been written already: the grammar goes on right behind it. */
  afterBegin?: boolean
  /** What the answer may be instead of calls. */
  orElse?(builder: GrammarBuilder): Expression
}

export function toolCallsGrammar(tools: readonly FunctionTool[], options: ToolCallsOptions): string {
  const { choice: wanted } = options
  const callable = tools
    .map((tool, index) => ({ tool, index }))
    .filter(({ tool }) => wanted === 'required' || tool.name === wanted.name)
  if (callable.length === 0) throw noSuchTool(wanted)
  try {
    return grammarOf(callable, options, 'exact')
  } catch (error) {
    if (!(error instanceof GrammarTooLarge)) throw error
  }
  try {
    return grammarOf(callable, options, 'loose')
  } catch (error) {
    if (!(error instanceof GrammarTooLarge)) throw error
    const message = `The tools are too large to enforce. ${error.message} Give fewer tools, or simpler schemas.`
    throw new ModelProblem(message, { kind: 'unsupported', param: 'tools' })
  }
}

const noSuchTool = (wanted: ToolCallsOptions['choice']): ModelProblem =>
  wanted === 'required'
    ? new ModelProblem("'tool_choice' needs at least one tool to choose.", { kind: 'invalid', param: 'tool_choice' })
    : new ModelProblem(`Tool choice '${wanted.name}' not found in 'tools' parameter.`, {
        kind: 'invalid',
        param: 'tool_choice',
      })

interface Callable {
  tool: FunctionTool
  index: number
}

/** Loose: where the schema need not be followed to the letter, any object will do. */
function grammarOf(callable: Callable[], options: ToolCallsOptions, way: 'exact' | 'loose'): string {
  const { syntax, afterBegin = false } = options
  const builder = new GrammarBuilder()
  const bodies = callable.map(({ tool, index }) =>
    sequence(
      text(JSON.stringify(tool.name).slice(1, -1)),
      spaced(syntax.beforeArguments),
      toolArguments(builder, tool, index, way),
      spaced(syntax.callEnd),
    ),
  )
  const body = builder.add('call', choice(...bodies))
  const begin = syntax.before + syntax.callBegin
  const first = sequence(spaced(afterBegin ? begin.slice(syntax.trigger.length) : begin), body)
  const next = sequence(spaced(syntax.between + syntax.callBegin), body)
  const isMany = options.parallel && syntax.parallel && options.maxCalls > 1
  const others = isMany ? repeat(builder, next, 0, options.maxCalls - 1) : nothing
  // Each tool's rule matches something, or it would have been refused.
  const calls = sequence(first, others, spaced(syntax.after))
  return builder.text(options.orElse === undefined ? calls : choice(calls, options.orElse(builder))) ?? ''
}

function toolArguments(builder: GrammarBuilder, tool: FunctionTool, index: number, way: 'exact' | 'loose'): Expression {
  const { parameters } = tool
  if (parameters === undefined) return text('{}')
  const param = `tools[${index}].function.parameters`
  const place: SchemaPlace = {
    param,
    subject: `function '${tool.name}'`,
    strictParam: param,
    strict: tool.strict === true,
  }
  if (isRecord(parameters) && parameters.type !== undefined && parameters.type !== 'object') {
    const type = JSON.stringify(parameters.type)
    throw strictRuleBreach(place, undefined, `schema must be a JSON Schema of 'type: "object"', got 'type: ${type}'.`)
  }
  if (way === 'loose' && !place.strict) return anyObject(builder)
  const schema = place.strict ? parameters : closed({ ...parameters, type: 'object' })
  return schemaRule(builder, schema, place)
}

/** Others may add members, too. */
const openWords = ['additionalProperties', 'patternProperties', 'allOf', 'anyOf', 'oneOf', '$ref', 'if']

/** Programs expect the arguments they named. A schema that says nothing of others would let the model invent some. */
function closed(schema: Record<string, unknown>): Record<string, unknown> {
  const isOpen = !isRecord(schema.properties) || openWords.some((word) => word in schema)
  return isOpen ? schema : { ...schema, additionalProperties: false }
}

/** The text, with its white space optional. */
const spaced = (written: string): Expression =>
  sequence(...written.split(/(\s)/).map((part) => (/^\s$/.test(part) ? optional(text(part)) : text(part))))

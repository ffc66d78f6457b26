// What the answer must look like, as grammars the sampler can be held to.
import type { ChatRequest, ResponseFormat } from '../../chat.ts'
import type { Expression } from '../../grammar/gbnf.ts'
import type { GrammarBuilder } from '../../grammar/grammar-builder.ts'
import { jsonObjectGrammar } from '../../grammar/json-object.ts'
import { schemaGrammar, schemaRule } from '../../grammar/json-schema.ts'
import { anyObject } from '../../grammar/json-text.ts'
import type { SchemaPlace } from '../../grammar/schema/schema-problem.ts'
import { toolCallsGrammar } from '../../grammar/tool-calls.ts'
import { detectToolSyntax, type ToolSyntax } from '../../grammar/tool-syntax.ts'
import type { GenerateOptions } from './protocol.ts'

const maxCalls = 16

export interface Constraints extends Pick<GenerateOptions, 'grammar' | 'trigger'> {
  /** How tool calls are written; absent: none are looked for. */
  syntax: ToolSyntax | undefined
  /** What can be called. */
  names: string[]
  /** The answer is tool calls and nothing else. */
  isForced: boolean
}

/** The parts of a chat request that the answer's form follows from. */
export type FormRequest = Pick<ChatRequest, 'tools' | 'toolChoice' | 'parallelToolCalls' | 'responseFormat'>

export function constraintsOf(request: FormRequest, template: string | undefined): Constraints {
  const { tools, toolChoice, responseFormat } = request
  if (toolChoice === 'none' || tools.length === 0) {
    const grammar = formatGrammar(responseFormat)
    return { grammar, trigger: undefined, syntax: undefined, names: [], isForced: false }
  }
  const syntax = detectToolSyntax(template)
  const names = tools.map(({ name }) => name)
  const options = { parallel: request.parallelToolCalls, maxCalls, syntax }
  if (toolChoice !== 'auto') {
    const grammar = toolCallsGrammar(tools, { ...options, choice: toolChoice })
    return { grammar, trigger: undefined, syntax, names, isForced: true }
  }
  if (responseFormat.type !== 'text') {
    const orElse = (builder: GrammarBuilder) => formatRule(builder, responseFormat)
    const grammar = toolCallsGrammar(tools, { ...options, choice: 'required', orElse })
    return { grammar, trigger: undefined, syntax, names, isForced: false }
  }
  const calls = toolCallsGrammar(tools, { ...options, choice: 'required', afterBegin: true })
  const trigger = { text: syntax.trigger, onlyAtStart: syntax.onlyAtStart, grammar: calls }
  return { grammar: undefined, trigger, syntax, names, isForced: false }
}

type JsonFormat = Exclude<ResponseFormat, { type: 'text' }>

function formatGrammar(format: ResponseFormat): string | undefined {
  if (format.type === 'text') return undefined
  return schemaOf(format) === undefined ? jsonObjectGrammar() : schemaGrammar(schemaOf(format), placeOf(format))
}

const formatRule = (builder: GrammarBuilder, format: JsonFormat): Expression =>
  schemaOf(format) === undefined ? anyObject(builder) : schemaRule(builder, schemaOf(format), placeOf(format))

const schemaOf = (format: JsonFormat): Record<string, unknown> | undefined =>
  format.type === 'json_schema' ? format.json_schema.schema : undefined

function placeOf(format: JsonFormat): SchemaPlace {
  const { name, strict } = format.type === 'json_schema' ? format.json_schema : { name: '', strict: false }
  return {
    param: 'response_format.json_schema.schema',
    strictParam: 'response_format',
    subject: `response_format '${name}'`,
    strict: strict === true,
  }
}

import { describe, expect, it } from 'vitest'
import type { FunctionTool } from '../chat.ts'
import { ModelProblem } from '../problem.ts'
import { parseGrammar } from './testing/llama-addon.ts'
import { type ToolCallsOptions, toolCallsGrammar } from './tool-calls.ts'
import { detectToolSyntax, toolSyntaxes } from './tool-syntax.ts'

const tools: FunctionTool[] = [
  {
    name: 'weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
    strict: true,
  },
  { name: 'now' },
  { name: 'search', parameters: { type: 'object', properties: { limit: { type: 'integer' } } } },
]
const defaults: ToolCallsOptions = { choice: 'required', parallel: true, maxCalls: 3, syntax: toolSyntaxes.hermes }
const llama = (options: Partial<ToolCallsOptions>, from = tools) =>
  parseGrammar(toolCallsGrammar(from, { ...defaults, ...options }))

const weather = '{"name": "weather", "arguments": {"city": "Rome"}}'
const now = '{"name": "now", "arguments": {}}'

describe('a grammar of tool calls', () => {
  it('INF-072 allows calls of the tools with their own arguments, and nothing else', () => {
    const grammar = llama({})
    const call = (body: string) => `<tool_call>\n${body}\n</tool_call>`
    expect(grammar.isTextCompatible(call(weather))).toBe(true)
    expect(grammar.isTextCompatible(`<tool_call>${now}</tool_call>`)).toBe(true)
    expect(grammar.isTextCompatible(call('{"name": "search", "arguments": {"limit": 3}}'))).toBe(true)
    expect(grammar.isTextCompatible(call('{"name": "search", "arguments": {"limit": 3, "more": [1]}}'))).toBe(false)
    expect(grammar.isTextCompatible(call('{"name": "weather", "arguments": {}}'))).toBe(false)
    expect(grammar.isTextCompatible(call('{"name": "now", "arguments": {"city": "Rome"}}'))).toBe(false)
    expect(grammar.isTextCompatible(call('{"name": "other", "arguments": {}}'))).toBe(false)
    expect(grammar.isTextCompatible('It is sunny.')).toBe(false)
  })

  it('lets arguments be added only where the schema says so', () => {
    const parameters = { type: 'object', properties: { limit: { type: 'integer' } }, additionalProperties: true }
    const grammar = llama({}, [{ name: 'search', parameters }])
    const call = '<tool_call>{"name": "search", "arguments": {"limit": 3, "more": [1]}}</tool_call>'
    expect(grammar.isTextCompatible(call)).toBe(true)
  })

  it('INF-075 allows more than one call only when calls may be parallel', () => {
    const call = `<tool_call>\n${now}\n</tool_call>`
    const times = (count: number) => Array.from({ length: count }, () => call).join('\n')
    expect(llama({}).isTextCompatible(times(3))).toBe(true)
    expect(llama({}).isTextCompatible(times(4))).toBe(false)
    expect(llama({ parallel: false }).isTextCompatible(times(1))).toBe(true)
    expect(llama({ parallel: false }).isTextCompatible(times(2))).toBe(false)
  })

  it('INF-073 holds the answer to the named function', () => {
    const grammar = llama({ choice: { name: 'now' } })
    expect(grammar.isTextCompatible(`<tool_call>\n${now}\n</tool_call>`)).toBe(true)
    expect(grammar.isTextCompatible(`<tool_call>\n${weather}\n</tool_call>`)).toBe(false)
  })

  it.each([
    ['hermes', `<tool_call>\n${weather}\n</tool_call>\n<tool_call>\n${now}\n</tool_call>`],
    ['llama', '{"name": "weather", "parameters": {"city": "Rome"}}'],
    ['mistral', `[TOOL_CALLS] [${weather}, ${now}]`],
    ['mistralArguments', '[TOOL_CALLS]weather[ARGS]{"city": "Rome"}[TOOL_CALLS]now[ARGS]{}'],
    ['functionMark', '<|fn|>{"name":"weather","arguments":{"city":"Rome"}}<|fn|>{"name":"now","arguments":{}}'],
  ] as const)('INF-071 speaks the syntax of %s, from the start or behind its trigger', (name, text) => {
    const syntax = toolSyntaxes[name]
    expect(llama({ syntax }).isTextCompatible(text)).toBe(true)
    expect(llama({ syntax }).isTextCompatible(`${text}x`)).toBe(false)
    expect(text.startsWith(syntax.trigger)).toBe(true)
    expect(llama({ syntax, afterBegin: true }).isTextCompatible(text.slice(syntax.trigger.length))).toBe(true)
    expect((syntax.before + syntax.callBegin).startsWith(syntax.trigger)).toBe(true)
  })

  it('INF-069 names the tool whose schema is refused', () => {
    const bad = [...tools, { name: 'bad', strict: true, parameters: { type: 'object', properties: {} } }]
    const detail = (from: FunctionTool[], options: Partial<ToolCallsOptions> = {}) => {
      try {
        toolCallsGrammar(from, { ...defaults, ...options })
      } catch (error) {
        return error instanceof ModelProblem ? [error.message, error.detail] : error
      }
    }
    expect(detail(bad)).toEqual([
      "Invalid schema for function 'bad': In context=(), 'additionalProperties' is required to be supplied and to be false.",
      { kind: 'invalid', param: 'tools[3].function.parameters' },
    ])
    expect(detail([{ name: 'list', parameters: { type: 'array' } }])).toEqual([
      `Invalid schema for function 'list': schema must be a JSON Schema of 'type: "object"', got 'type: "array"'.`,
      { kind: 'invalid', param: 'tools[0].function.parameters' },
    ])
    expect(detail(tools, { choice: { name: 'none' } })).toEqual([
      "Tool choice 'none' not found in 'tools' parameter.",
      { kind: 'invalid', param: 'tool_choice' },
    ])
  })

  it('stays usable with 128 tools', () => {
    const parameters = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string', format: 'hostname' } },
    }
    const many = Array.from({ length: 128 }, (_, index) => ({ name: `tool_${index}`, parameters }))
    const text = '<tool_call>{"name":"tool_127","arguments":{"a":"x"}}</tool_call>'
    expect(llama({}, many).isTextCompatible(text)).toBe(true)
  })
})

describe('the syntax a chat template speaks', () => {
  it.each([
    [undefined, 'hermes'],
    ['{{ "<tool_call>\\n" }}', 'hermes'],
    ['{{ "<|start_header_id|>" }}{{ "<|python_tag|>" }}', 'llama'],
    ['{{ \'{"name": "\' + name + \'", "parameters": \' }}', 'llama'],
    ['{{ "[TOOL_CALLS] [" }}', 'mistral'],
    ['{{ "[TOOL_CALLS]" + name + "[ARGS]" }}', 'mistral-args'],
    ['{{ "<|fn|>" }}', 'function-mark'],
    ['{{ message.content }}', 'hermes'],
  ])('%s: %s', (template, name) => {
    expect(detectToolSyntax(template).name).toBe(name)
  })
})

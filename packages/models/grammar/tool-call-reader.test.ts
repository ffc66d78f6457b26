import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ToolCallEvent, ToolCallReader } from './tool-call-reader.ts'
import { type ToolSyntax, toolSyntaxes } from './tool-syntax.ts'

const { hermes, llama, mistral, mistralArguments, functionMark } = toolSyntaxes
const names = ['weather', 'now']

/** What was told, with neighbouring pieces joined. */
function read(
  syntax: ToolSyntax,
  pieces: string[],
): (string | { call: string; arguments: string; complete: boolean })[] {
  const reader = new ToolCallReader(syntax, names)
  const told: (string | { call: string; arguments: string; complete: boolean })[] = []
  const tell = (event: ToolCallEvent) => {
    const last = told.at(-1)
    if (event.type === 'content' && typeof last === 'string') told[told.length - 1] = last + event.text
    else if (event.type === 'content') told.push(event.text)
    else if (event.type === 'call') told.push({ call: event.name, arguments: '', complete: false })
    else if (typeof last === 'object' && event.type === 'arguments') last.arguments += event.text
    else if (typeof last === 'object' && event.type === 'call-end') last.complete = event.complete
  }
  for (const piece of pieces) reader.push(piece).forEach(tell)
  reader.end().forEach(tell)
  return told
}

const rome = { call: 'weather', arguments: '{"city": "Rome }]\\""}', complete: true }
const body = `{"name": "weather", "arguments": ${rome.arguments}}`
const clock = { call: 'now', arguments: '{}', complete: true }

const texts: [what: string, syntax: ToolSyntax, text: string, told: ReturnType<typeof read>][] = [
  ['content only', hermes, 'Hello < world <tool', ['Hello < world <tool']],
  ['a call', hermes, `<tool_call>\n${body}\n</tool_call>`, [rome]],
  ['content, then two calls', hermes, `Let me see.\n<tool_call>\n${body}\n</tool_call>\n<tool_call>{"name":"now","arguments":{}}</tool_call>`, ['Let me see.\n', rome, clock]],
  ['blank lines around a call', hermes, `\n\n<tool_call>${body}</tool_call>\n\n`, [rome]],
  ['content behind a call', hermes, `<tool_call>${body}</tool_call>\nDone.`, [rome, '\nDone.']],
  ['a call cut short', hermes, '<tool_call>{"name": "weather", "arguments": {"city": "Ro', [{ call: 'weather', arguments: '{"city": "Ro', complete: false }]],
  ['an end cut short', hermes, `<tool_call>${body}</tool_`, [rome]],
  ['a head cut short', hermes, '<tool_call>{"name": "wea', ['<tool_call>{"name": "wea']],
  ['an unknown name', hermes, '<tool_call>{"name": "dance", "arguments": {}}</tool_call>', ['<tool_call>{"name": "dance", "arguments": {}}</tool_call>']],
  ['arguments that are no object', hermes, '<tool_call>{"name": "now", "arguments": 3}', ['<tool_call>{"name": "now", "arguments": 3}']],
  ['a broken call, then a good one', hermes, `<tool_call>oops <tool_call>${body}</tool_call>`, ['<tool_call>oops ', rome]],
  ['llama', llama, `{"name": "weather", "parameters": ${rome.arguments}}`, [rome]],
  ['llama, no call', llama, '{"name": "Bob", "age": 3}', ['{"name": "Bob", "age": 3}']],
  ['llama, in the middle', llama, 'So: {"name": "now", "parameters": {}}', ['So: {"name": "now", "parameters": {}}']],
  ['mistral', mistral, `[TOOL_CALLS] [${body}, {"name": "now", "arguments": {}}]`, [rome, clock]],
  ['mistral with content', mistral, `I see.[TOOL_CALLS][${body}] ok`, ['I see.', rome, ' ok']],
  ['mistral with ARGS', mistralArguments, `[TOOL_CALLS]weather[ARGS]${rome.arguments}[TOOL_CALLS]now[ARGS]{}`, [rome, clock]],
  ['function mark', functionMark, `<|fn|>${body}<|fn|>{"name":"now","arguments":{}}`, [rome, clock]],
] // biome-ignore format: a table

describe('reading tool calls', () => {
  it.each(texts)('INF-071 tells calls from content: %s', (_what, syntax, text, told) => {
    expect(read(syntax, [text])).toEqual(told)
    expect(read(syntax, [...text])).toEqual(told)
  })

  it('does not depend on how the text is cut', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.array(fc.nat(120), { maxLength: 8 }),
        ([, syntax, text, told], cuts) => {
          const places = [
            0,
            ...cuts.filter((cut) => cut < text.length).sort((left, right) => left - right),
            text.length,
          ]
          const pieces = places.slice(1).map((end, index) => text.slice(places[index], end))
          expect(read(syntax, pieces)).toEqual(told)
        },
      ),
    )
  })

  it('loses nothing of any text', () => {
    const part = fc.constantFrom('<tool_call>', '<tool', '_call>', '{"name": "', 'now', '", "arguments": ', '{', '}', '</tool_call>', 'x', '\n', '"') // biome-ignore format: a table
    fc.assert(
      fc.property(fc.array(part, { maxLength: 14 }), (parts) => {
        const told = read(hermes, parts)
        const hasCall = told.some((one) => typeof one !== 'string')
        if (!hasCall) expect(told.join('')).toBe(parts.join(''))
      }),
      { numRuns: 500 },
    )
  })

  it('tells content and arguments as soon as it is certain of them', () => {
    const reader = new ToolCallReader(hermes, names)
    expect(reader.push('Hi <')).toEqual([{ type: 'content', text: 'Hi ' }])
    expect(reader.push('b>')).toEqual([{ type: 'content', text: '<b>' }])
    expect(reader.textAfterTrigger).toBeUndefined()
    expect(reader.push('<tool_call>\n{')).toEqual([])
    expect(reader.textAfterTrigger).toBe('\n{')
    expect(reader.push('"name": "weather", "arguments": {"ci')).toEqual([
      { type: 'call', name: 'weather' },
      { type: 'arguments', text: '{"ci' },
    ])
    expect(reader.push('ty": 1}')).toEqual([{ type: 'arguments', text: 'ty": 1}' }])
    expect(reader.push('}</tool_call>')).toEqual([{ type: 'call-end', complete: true }])
    expect(reader.end()).toEqual([])
  })
})

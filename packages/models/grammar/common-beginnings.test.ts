// Of many tools, values or objects, what they begin with alike is one way: each token is tried on every way there is.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { schemaGrammar } from './json-schema.ts'
import { parseGrammar } from './testing/llama-addon.ts'
import { widestChoice } from './testing/widest-choice.ts'
import { toolCallsGrammar } from './tool-calls.ts'
import { toolSyntaxes } from './tool-syntax.ts'

const place = { param: 'schema', subject: "response_format 'x'", strictParam: 'schema', strict: false }
const upTo = (count: number): number[] => Array.from({ length: count }, (_, number) => number)
/** One for each digit, and the end. */
const fewWays = 11
/** All would take long. */
const every = 53

function allows(grammar: string, texts: readonly string[]): void {
  const llama = parseGrammar(grammar)
  for (const text of texts.filter((_, index) => index % every === 0)) {
    expect(llama.isTextCompatible(text), text).toBe(true)
    expect(llama.isTextCompatible(`${text.slice(0, -1)}x`), `${text}, changed`).toBe(false)
  }
}

const withKind = (kind: string) => ({
  type: 'object',
  properties: { [kind]: { const: 1 }, size: { type: 'integer' } },
  required: [kind, 'size'],
  additionalProperties: false,
})

describe('a grammar of many alternatives', () => {
  it('follows the names of 128 tools letter by letter', () => {
    const tools = upTo(128).map((number) => ({ name: `look_up_${number}` }))
    const options = { choice: 'required', parallel: true, maxCalls: 4, syntax: toolSyntaxes.functionMark } as const
    const grammar = toolCallsGrammar(tools, options)
    expect(widestChoice(grammar)).toBeLessThanOrEqual(fewWays)
    allows(
      grammar,
      tools.map(({ name }) => `<|fn|>{"name":"${name}","arguments":{}}`),
    )
  })

  it.each([
    ['1,000 numbers', upTo(1_000).map((number) => number * 7919)],
    ['1,000 objects', upTo(1_000).map((number) => ({ number, list: [number] }))],
  ])('follows an enum of %s letter by letter', (_, values) => {
    const grammar = schemaGrammar({ enum: values }, place)
    expect(widestChoice(grammar)).toBeLessThanOrEqual(fewWays)
    allows(
      grammar,
      values.map((value) => JSON.stringify(value)),
    )
  })

  it('follows the first names of 200 objects letter by letter', () => {
    const grammar = schemaGrammar({ anyOf: upTo(200).map((number) => withKind(`kind${number}`)) }, place)
    expect(widestChoice(grammar)).toBeLessThanOrEqual(fewWays)
    allows(
      grammar,
      upTo(200).map((number) => `{"kind${number}": 1, "size": 5}`),
    )
  })

  it('allows the same values however many there are', () => {
    const letters = fc.constantFrom('a', 'b', '"', '\\', 'ü', '😀', '😁')
    const text = fc.array(letters, { maxLength: 4 }).map((list) => list.join(''))
    const value = fc.oneof(text, fc.integer({ min: 0, max: 200 }), fc.record({ a: text }), fc.array(text))
    fc.assert(
      fc.property(
        fc.uniqueArray(value, { minLength: 10, maxLength: 40, selector: (one) => JSON.stringify(one) }),
        (values) => {
          const [first, ...others] = values
          const grammar = schemaGrammar({ enum: others }, place)
          const llama = parseGrammar(grammar)
          for (const other of others) expect(llama.isTextCompatible(JSON.stringify(other)), grammar).toBe(true)
          expect(llama.isTextCompatible(JSON.stringify(first)), grammar).toBe(false)
        },
      ),
      { numRuns: 100 },
    )
  })
})

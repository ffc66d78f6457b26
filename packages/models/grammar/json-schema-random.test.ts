// Hundreds of made-up schemas: what the grammar allows must validate, and what validates must be allowed.
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ModelProblem } from '../problem.ts'
import { schemaGrammar } from './json-schema.ts'
import { GbnfSampler, type Random } from './testing/gbnf-sampler.ts'
import { parseGrammar } from './testing/llama-addon.ts'
import { changed, randomSchema } from './testing/random-schema.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false })
const place = { param: 'schema', subject: "response_format 'x'", strictParam: 'schema', strict: false }

function seeded(seed: number): Random {
  let state = seed + 0x9e3779b9
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Grammars write no more than 15 digits, and JSON.stringify up to 17. */
const withShortNumbers = (text: string): unknown =>
  JSON.parse(text, (_name, value) => (typeof value === 'number' ? Number(value.toPrecision(9)) : value))

/** Undefined when no value can satisfy the schema, which a made-up one is free to be. */
function grammarOf(schema: unknown): string | undefined {
  try {
    return schemaGrammar(schema, place)
  } catch (error) {
    if (error instanceof ModelProblem && /no value can satisfy/.test(error.message)) return undefined
    throw error
  }
}

describe('a grammar of a made-up schema', () => {
  it('INF-058 allows what validates, and nothing else', () => {
    let texts = 0
    let satisfiable = 0
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const random = seeded(seed)
        const schema = randomSchema(random)
        const grammar = grammarOf(schema)
        if (grammar === undefined) return
        satisfiable += 1
        const validate = ajv.compile(schema)
        const llama = parseGrammar(grammar)
        const sampler = new GbnfSampler(grammar)
        for (let round = 0; round < 8; round += 1) {
          const text = sampler.sample(random)
          const say = `${JSON.stringify(schema)}\nallows ${text}`
          expect(llama.isTextCompatible(text), say).toBe(true)
          const value = JSON.parse(text)
          expect(validate(value), say).toBe(true)
          const other = changed(withShortNumbers(text), random)
          const otherText = JSON.stringify(other)
          // JavaScript puts such names first, and writes numbers from afar in full.
          if (/"\d+":|\d{16}|e[+-]\d/.test(otherText)) continue
          expect(llama.isTextCompatible(otherText), `${JSON.stringify(schema)}\n${otherText}`).toBe(validate(other))
          texts += 2
        }
      }),
      { numRuns: 200, seed: 7 },
    )
    expect(satisfiable).toBeGreaterThan(150)
    expect(texts).toBeGreaterThan(2_000)
  })
})

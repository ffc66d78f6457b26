import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { schemaGrammar } from '../json-schema.ts'
import { GbnfSampler } from '../testing/gbnf-sampler.ts'
import { parseGrammar } from '../testing/llama-addon.ts'

const place = { param: 'schema', subject: "response_format 'x'", strictParam: 'schema', strict: false }
const ajv = new Ajv()

describe('numbers between bounds', () => {
  const limit = fc.oneof(
    fc.integer({ min: -1_000, max: 1_000 }),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    fc.constantFrom(0.1, 1e-7, 1e20, -1e20, 0.30000000000000004, 9_007_199_254_740_992, 1 / 3),
  )
  const schema = fc.record({
    type: fc.constantFrom('integer', 'number'),
    bounds: fc.tuple(limit, limit, fc.constantFrom('minimum', 'exclusiveMinimum'), fc.constantFrom('maximum', 'exclusiveMaximum'), fc.nat(2)),
    multipleOf: fc.option(fc.constantFrom(2, 3, 10, 25, 0.5), { nil: undefined, freq: 4 }),
  }) // biome-ignore format: a table

  it('INF-058 are within them, and all of them are allowed', () => {
    let allowed = 0
    fc.assert(
      fc.property(schema, ({ type, bounds: [one, two, lower, upper, which], multipleOf }) => {
        const [low, high] = one < two ? [one, two] : [two, one]
        const limits = { ...(which !== 1 && { [lower]: low }), ...(which !== 2 && { [upper]: high }) }
        const full = { type, ...limits, ...(multipleOf && { multipleOf }) }
        // Multiples of that size are not told apart, and so not enforced.
        if (multipleOf && Math.max(-low, high) >= 1e15) return
        const validate = ajv.compile(full)
        let grammar: string
        try {
          grammar = schemaGrammar(full, place)
        } catch {
          return
        }
        const llama = parseGrammar(grammar)
        const sampler = new GbnfSampler(grammar)
        for (let round = 0; round < 20; round += 1) {
          const text = sampler.sample(Math.random, 40)
          expect(validate(JSON.parse(text)), `${JSON.stringify(full)} ${text}`).toBe(true)
        }
        for (const value of [low, high, low + 1, high - 1, low - 1, high + 1, (low + high) / 2, 0]) {
          const short = Number(value.toPrecision(12))
          const text = JSON.stringify(short)
          if (/e/.test(text) || text.replace(/\D/g, '').length > 15 || Object.is(short, -0)) continue
          expect(llama.isTextCompatible(text), `${JSON.stringify(full)} ${text}`).toBe(validate(short))
          allowed += 1
        }
      }),
      { numRuns: 300 },
    )
    expect(allowed).toBeGreaterThan(500)
  })
})

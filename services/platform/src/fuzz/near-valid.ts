// Values that almost fit a schema: right in most places, wrong in some. They get further than pure noise.
import fc from 'fast-check'
import { z } from 'zod'

interface Schema {
  type?: string
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  minimum?: number
  maximum?: number
}

const oddStrings = fc.constantFrom(
  '',
  ' ',
  '\0',
  '\u202e',
  '💥',
  '\ud800',
  '../../etc/passwd',
  "'; drop table files; --",
  '%00',
  '__proto__',
  'constructor',
  'x'.repeat(10_000),
)

const oddNumbers = fc.constantFrom(0, -0, -1, 1.5, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 63, Number.MIN_VALUE)

const deep = fc.integer({ min: 1, max: 200 }).map((depth) => {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value }
  return value
})

export const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.jsonValue() },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  { weight: 2, arbitrary: oddStrings },
  { weight: 2, arbitrary: oddNumbers },
  { weight: 1, arbitrary: deep },
  { weight: 1, arbitrary: fc.array(fc.constant('x'), { minLength: 0, maxLength: 2000 }) },
)

const mostly = (valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 3, arbitrary: valid }, { weight: 1, arbitrary: anything })

export const nearlyFitting = (schema: z.ZodType): fc.Arbitrary<unknown> =>
  fitting(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema)

function fitting(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return mostly(fc.constant(schema.const))
  if (schema.enum) return mostly(fc.constantFrom(...schema.enum))
  if (schema.anyOf) return mostly(fc.oneof(...schema.anyOf.map(fitting)))
  switch (schema.type) {
    case 'object':
      return mostly(fittingObject(schema.properties ?? {}))
    case 'array':
      return mostly(fc.array(fitting(schema.items ?? {}), { maxLength: 5 }))
    case 'integer':
    case 'number':
      return mostly(fc.oneof(fc.integer(), fc.constantFrom(schema.minimum ?? 0, schema.maximum ?? 1, 1)))
    case 'string':
      return mostly(fc.oneof(fc.string(), fc.constantFrom('a.jsonl', 'text/jsonl', 'x')))
    case 'boolean':
      return mostly(fc.boolean())
    default:
      return anything
  }
}

/** Models that exist, so that what else is wrong is reached. */
export const fuzzModels = {
  chat: 'gpt-4o-mini',
  embeddings: 'text-embedding-3-small',
  moderation: 'omni-moderation-latest',
}

const fittingProperty = (name: string, schema: Schema): fc.Arbitrary<unknown> =>
  name === 'model' ? mostly(fc.constantFrom(...Object.values(fuzzModels))) : fitting(schema)

/** Some properties missing, now and then one too many. */
function fittingObject(properties: Record<string, Schema>): fc.Arbitrary<unknown> {
  const known = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, fittingProperty(name, schema)]),
  )
  const extra = fc.option(fc.dictionary(fc.string({ maxLength: 20 }), anything, { maxKeys: 2 }), { freq: 6, nil: {} })
  return fc.tuple(fc.record(known, { requiredKeys: [] }), extra).map(([some, more]) => ({ ...more, ...some }))
}

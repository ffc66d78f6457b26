import { describe, expect, it } from 'vitest'
import { ModelProblem } from '../problem.ts'
import { jsonObjectGrammar } from './json-object.ts'
import { schemaGrammar } from './json-schema.ts'
import { parseGrammar } from './testing/llama-addon.ts'

const place = {
  param: 'response_format.json_schema.schema',
  subject: "response_format 'answer'",
  strictParam: 'response_format',
  strict: false,
}

const closed = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
})

function problem(schema: unknown, strict: boolean): ModelProblem {
  try {
    schemaGrammar(schema, { ...place, strict })
  } catch (error) {
    if (error instanceof ModelProblem) return error
    throw error
  }
  throw new Error(`The schema was taken: ${JSON.stringify(schema)}`)
}

const strictProblem = (property: unknown) => problem(closed({ x: property }), true)

describe('the grammar of a schema', () => {
  const cases: [what: string, schema: unknown, allowed: string[], refused: string[]][] = [
    ['anything', {}, ['1', '"x"', '{"a": [null, true]}'], ['{a:1}', '[1,]', '01', '"\n"', '{ }', '[1,  2]', '{"a" :1}']],
    ['types', { type: ['integer', 'null'] }, ['-12', 'null'], ['1.5', '"x"', 'true']],
    ['nullable', { type: 'string', nullable: true }, ['null', '""'], ['1']],
    ['enum', { enum: ['a', 'ab', 1, [true]] }, ['"a"', '"ab"', '1', '[true]'], ['"b"', '"abc"', '2']],
    ['enum with a type', { type: 'string', enum: ['a', 1], maxLength: 3 }, ['"a"'], ['1']],
    ['order', closed({ b: { type: 'integer' }, a: {} }), ['{"b":1,"a":2}', '{"b": 1, "a": 2}'], ['{"a":1,"b":2}', '{"b":1}']],
    ['optional', { ...closed({ a: {}, b: {}, c: {} }), required: ['b'] }, ['{"b":1}', '{"a":1,"b":2,"c":3}'], ['{}', '{"a":1}', '{"b":1,}']],
    ['free names', { type: 'object', properties: { a: { type: 'null' } } }, ['{"a":null,"b":1}', '{"aa":1}'], ['{"a":1}', '{"b":1,"a":1}']],
    ['escapes of names', { properties: { a: false } }, ['{"b":1}', '{"\\n":1}'], ['{"a":1}', '{"\\u0061":1}']],
    ['map', { type: 'object', additionalProperties: { type: 'integer' }, maxProperties: 2 }, ['{}', '{"x":1,"y":2}'], ['{"x":"y"}', '{"x":1,"y":2,"z":3}']],
    ['array', { type: 'array', items: { type: 'boolean' }, minItems: 1, maxItems: 2 }, ['[true]', '[true,false]'], ['[]', '[true,true,true]']],
    ['tuple', { type: 'array', prefixItems: [{ type: 'null' }, { type: 'integer' }], items: false }, ['[]', '[null]', '[null, 3]'], ['[3]', '[null,3,4]']],
    ['old tuple', { type: 'array', items: [{ type: 'null' }], additionalItems: { type: 'integer' } }, ['[null,1,2]'], ['[null,null]']],
    ['set', { type: 'array', items: { enum: ['a', 'b', 'c'] }, uniqueItems: true }, ['["c","a"]', '[]'], ['["a","a"]']],
    ['length', { type: 'string', minLength: 2, maxLength: 3 }, ['"ab"', '"\\u00e4\\ud83d\\ude00x"', '"😀😀"'], ['"a"', '"abcd"']],
    ['surrogates', { type: 'string' }, ['"\\ud83d\\ude00"'], ['"\\ud83d"', '"\\ude00"', '"\\x41"', '"\u0007"']],
    ['long', { type: 'string', minLength: 4000, maxLength: 5000 }, [`"${'x'.repeat(4000)}"`, `"${'x'.repeat(5000)}"`], [`"${'x'.repeat(3999)}"`, `"${'x'.repeat(5001)}"`]],
    ['range', { type: 'integer', minimum: -5, exclusiveMaximum: 120 }, ['-5', '0', '99', '119'], ['-6', '120', '-0', '05']],
    ['multiple', { type: 'integer', multipleOf: 7, minimum: 0 }, ['0', '7', '49', '700'], ['8', '-7', '50']],
    ['hundredths', { type: 'number', multipleOf: 0.01, minimum: 0, maximum: 10 }, ['0.07', '9.99', '10', '5.5'], ['0.071', '10.01', '-1']],
    ['fraction', { type: 'number', exclusiveMinimum: 0, maximum: 1 }, ['0.001', '1', '1.0', '0.5'], ['0', '0.0', '1.01', '2']],
    ['pattern', { type: 'string', pattern: '^[A-Z]{2}-\\d+$', maxLength: 6 }, ['"AB-1"', '"AB-123"'], ['"AB-1234"', '"ab-1"', '"AB-"']],
    ['loose pattern', { type: 'string', pattern: '\\d' }, ['"a1b"', '"1"'], ['"ab"', '""']],
    ['all', { allOf: [closed({ a: {} }, { additionalProperties: true }), { properties: { b: { type: 'null' } }, required: ['b'] }] }, ['{"a":1,"b":null}'], ['{"a":1}', '{"a":1,"b":1}']],
    ['any', { anyOf: [{ type: 'integer' }, { const: 'x' }] }, ['1', '"x"'], ['"y"']],
    ['recursion', { $ref: '#/$defs/node', $defs: { node: closed({ next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } }) } }, ['{"next":{"next":null}}'], ['{"next":{}}', '{}']],
    ['constants', { const: { a: [1, { b: null }] } }, ['{"a":[1,{"b":null}]}'], ['{"a":[1,{}]}']],
    ['pattern names', { type: 'object', patternProperties: { '^x-': { type: 'integer' } }, additionalProperties: false }, ['{}', '{"x-a":1}'], ['{"y":1}', '{"x-a":"b"}']],
    ['pattern names of two', { allOf: [{ type: 'object', patternProperties: { '^x-': {} }, additionalProperties: false }, { additionalProperties: { type: 'null' } }] }, ['{"x-a":null}'], ['{"x-a":1}']],
  ] // biome-ignore format: a table

  it.each(cases)('INF-058 holds an answer to the schema: %s', (_what, schema, allowed, refused) => {
    const grammar = parseGrammar(schemaGrammar(schema, place))
    for (const text of allowed) expect(grammar.isTextCompatible(text), text).toBe(true)
    for (const text of refused) expect(grammar.isTextCompatible(text), text).toBe(false)
  })

  it('INF-058 tells the alternatives of a discriminated union apart', () => {
    const shape = (kind: string, more: Record<string, unknown>) =>
      closed({ kind: { type: 'string', const: kind }, ...more })
    const union = {
      oneOf: [shape('circle', { radius: { type: 'number' } }), shape('square', { side: { type: 'number' } })],
    }
    const grammar = parseGrammar(schemaGrammar(closed({ shape: union }), { ...place, strict: true }))
    expect(grammar.isTextCompatible('{"shape":{"kind":"circle","radius":2.5}}')).toBe(true)
    expect(grammar.isTextCompatible('{"shape":{"kind":"circle","side":2.5}}')).toBe(false)
  })

  it('is small and quick for large schemas', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `property_${index}`)
    const grammar = schemaGrammar(closed(Object.fromEntries(names.map((name) => [name, { type: 'string' }]))), place)
    expect(grammar.length).toBeLessThan(100_000)
    const text = `{${names.map((name) => `"${name}":"x"`).join()}}`
    expect(parseGrammar(grammar).isTextCompatible(text)).toBe(true)
    const many = Array.from({ length: 1_000 }, (_, index) => `value ${index}`)
    expect(parseGrammar(schemaGrammar({ enum: many }, place)).isTextCompatible('"value 999"')).toBe(true)
  })

  it('keeps JSON mode to one object', () => {
    const grammar = parseGrammar(jsonObjectGrammar())
    expect(grammar.isTextCompatible('{"a":[1, {"b": null}],"c":"\\n"}')).toBe(true)
    for (const text of ['[]', '{}{}', '{} ', ' {}', '{"a"}', '']) expect(grammar.isTextCompatible(text)).toBe(false)
  })
})

describe('a schema that is refused', () => {
  const at = (path: string) => `response_format.json_schema.schema.properties.x${path}`

  it.each([
    [{ type: 'array', items: {}, uniqueItems: true }, at('.uniqueItems')],
    [{ not: { type: 'string' } }, at('.not')],
    [{ type: 'string', format: 'iri' }, at('.format')],
    [{ type: 'string', pattern: '(?=a)' }, at('.pattern')],
    [{ type: 'string', pattern: '(a|b)*a(a|b){14}$' }, at('.pattern')],
    [{ type: 'integer', multipleOf: 99_991 }, at('.multipleOf')],
    [{ oneOf: [{ type: 'integer' }, { type: 'number' }] }, at('.oneOf')],
    [{ anyOf: [{ type: 'null' }, { contains: {} }] }, at('.anyOf[1].contains')],
  ])('INF-058 names what a strict answer cannot be held to: %j', (property, param) => {
    expect(strictProblem(property).detail).toEqual({ kind: 'unsupported', param })
    // Not strict: as far as it goes.
    expect(() => parseGrammar(schemaGrammar(closed({ x: property }), place))).not.toThrow()
  })

  it.each([
    [{ type: 'text' }, at('.type')],
    [{ enum: [] }, at('.enum')],
    [{ minLength: -1 }, at('.minLength')],
    [{ maxItems: 1e9 }, at('.maxItems')],
    [{ properties: [] }, at('.properties')],
    [{ items: 3 }, at('.items')],
    [{ anyOf: 'x' }, at('.anyOf')],
    [{ $ref: '#/$defs/none' }, at('.$ref')],
    [{ $ref: 'https://example.com/schema' }, at('.$ref')],
    [{ $ref: '#/properties/x' }, at('')],
    [{ multipleOf: 0 }, at('.multipleOf')],
    [{ required: 'a' }, at('.required')],
  ])('INF-058 says where it is malformed: %j', (property, param) => {
    for (const strict of [false, true]) {
      expect(problem(closed({ x: property }), strict).detail).toEqual({ kind: 'invalid', param })
    }
  })

  it('has no value that could satisfy it', () => {
    const root = { kind: 'invalid', param: place.param }
    expect(problem(false, false).detail).toEqual(root)
    expect(problem({ type: 'string', enum: [1] }, false).detail).toEqual(root)
    expect(problem({ type: 'integer', minimum: 3, maximum: 2 }, false).detail).toEqual(root)
    expect(problem({ type: 'string', pattern: 'a', minLength: 2, maxLength: 1 }, false).detail).toEqual(root)
    expect(problem(closed({ self: { $ref: '#' } }), true).detail).toEqual(root)
  })

  it('is too large', () => {
    const nested = Array.from({ length: 40 }).reduce((inner) => closed({ a: inner }), closed({}))
    expect(problem(nested, true).message).toContain('nested more than 32 levels deep')
    const wide = closed(Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`p${index}`, {}])))
    expect(problem(wide, true).message).toContain('more than 1000 properties')
    const values = Array.from({ length: 1_001 }, (_, index) => index)
    expect(strictProblem({ enum: values }).message).toContain('more than 1000 enum values')
  })
})

describe('the rules of strict schemas', () => {
  const rules: [schema: unknown, message: string][] = [
    [{ type: 'object', properties: {} }, "In context=(), 'additionalProperties' is required to be supplied and to be false."],
    [closed({ a: { type: 'object', properties: {} } }), "In context=('properties', 'a'), 'additionalProperties' is required to be supplied and to be false."],
    [{ ...closed({ a: {}, b: {} }), required: ['a'] }, "In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'b'."],
    [{ type: 'array', items: {} }, `schema must be a JSON Schema of 'type: "object"', got 'type: "array"'.`],
    [{ anyOf: [closed({})] }, `schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`],
    [closed({}, { anyOf: [closed({})] }), "In context=(), 'anyOf' is not permitted at the top level: the root must be a plain object."],
  ] // biome-ignore format: a table

  it.each(rules)('INF-058 are told in known words: %j', (schema, message) => {
    const found = problem(schema, true)
    expect(found.message).toBe(`Invalid schema for response_format 'answer': ${message}`)
    expect(found.detail).toEqual({ kind: 'invalid', param: 'response_format' })
    expect(() => schemaGrammar(schema, place)).not.toThrow()
  })
})

// Grammars for the JSON texts that validate against a JSON Schema.
//
// Strict: every text of the grammar validates, and what cannot be enforced is refused. Otherwise what cannot be
// enforced is left out, and the grammar is the nearest wider one. A schema that is malformed, too large, or that no
// value can satisfy is refused either way.
import type { Expression } from './gbnf.ts'
import { GrammarBuilder, GrammarTooLarge } from './grammar-builder.ts'
import { anyObject, anyValue } from './json-text.ts'
import { isRecord, SchemaCheck } from './schema/schema-check.ts'
import { invalidSchema, type SchemaPlace, unsupportedSchema } from './schema/schema-problem.ts'
import { ShapeReader } from './schema/shape-reader.ts'
import { checkStrictRules } from './schema/strict-rules.ts'
import { ValueRules } from './schema/value-rules.ts'

export function schemaGrammar(schema: unknown, place: SchemaPlace): string {
  const builder = new GrammarBuilder()
  try {
    const grammar = builder.text(schemaRule(builder, schema, place))
    if (grammar !== undefined) return grammar
  } catch (error) {
    if (!(error instanceof GrammarTooLarge)) throw error
    if (place.strict) throw unsupportedSchema(place, [], `the schema is too large to enforce. ${error.message}`)
    return wideGrammar(schema)
  }
  throw unsatisfiable(place)
}

/** The schema's root rule, for a grammar that holds more. Throws GrammarTooLarge where it is. */
export function schemaRule(builder: GrammarBuilder, schema: unknown, place: SchemaPlace): Expression {
  new SchemaCheck(place, schema).check()
  if (place.strict) checkStrictRules(place, schema)
  const reader = new ShapeReader(place, schema)
  const root = new ValueRules(builder, reader, place.param).value([reader.node(schema, [])])
  if (builder.matchesNothing(root)) throw unsatisfiable(place)
  return root
}

const unsatisfiable = (place: SchemaPlace) =>
  invalidSchema(place, [], 'no value can satisfy the schema: what it asks for contradicts itself or never ends.')

function wideGrammar(schema: unknown): string {
  const builder = new GrammarBuilder()
  const isObject = isRecord(schema) && schema.type === 'object'
  return builder.text(isObject ? anyObject(builder) : anyValue(builder)) ?? ''
}

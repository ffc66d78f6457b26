// The rules of structured outputs, in the words of the hosted service: what is asked for must be spelled out.
import { isRecord } from './schema-check.ts'
import { type SchemaPath, type SchemaPlace, strictRuleBreach } from './schema-problem.ts'

/** The schema is well formed. */
export function checkStrictRules(place: SchemaPlace, schema: unknown): void {
  if (!isRecord(schema) || schema.type !== 'object') {
    const type = isRecord(schema) && schema.type !== undefined ? JSON.stringify(schema.type) : '"None"'
    throw strictRuleBreach(place, undefined, `schema must be a JSON Schema of 'type: "object"', got 'type: ${type}'.`)
  }
  if ('anyOf' in schema || 'oneOf' in schema) {
    const keyword = 'anyOf' in schema ? 'anyOf' : 'oneOf'
    throw strictRuleBreach(
      place,
      [],
      `'${keyword}' is not permitted at the top level: the root must be a plain object.`,
    )
  }
  checkPart(place, schema, [])
}

function checkPart(place: SchemaPlace, value: unknown, path: SchemaPath): void {
  if (Array.isArray(value)) {
    for (const [index, part] of value.entries()) checkPart(place, part, [...path, index])
    return
  }
  if (!isRecord(value)) return
  if (isObjectSchema(value)) checkObject(place, value, path)
  for (const keyword of ['items', 'prefixItems', 'additionalItems', 'anyOf', 'oneOf', 'allOf']) {
    checkPart(place, value[keyword], [...path, keyword])
  }
  for (const keyword of ['properties', '$defs', 'definitions']) {
    const parts = isRecord(value[keyword]) ? Object.entries(value[keyword]) : []
    for (const [name, part] of parts) checkPart(place, part, [...path, keyword, name])
  }
}

const isObjectSchema = ({ type, properties }: Record<string, unknown>): boolean =>
  type === 'object' || (Array.isArray(type) && type.includes('object')) || properties !== undefined

function checkObject(place: SchemaPlace, schema: Record<string, unknown>, path: SchemaPath): void {
  if (schema.additionalProperties !== false) {
    throw strictRuleBreach(place, path, "'additionalProperties' is required to be supplied and to be false.")
  }
  const names = Object.keys(schema.properties ?? {})
  const required = Array.isArray(schema.required) ? schema.required : []
  const missing = names.find((name) => !required.includes(name))
  const extra = required.find((name) => !names.includes(name))
  const rule = "'required' is required to be supplied and to be an array including every key in properties."
  if (missing !== undefined) throw strictRuleBreach(place, path, `${rule} Missing '${missing}'.`)
  if (extra !== undefined) throw strictRuleBreach(place, path, `${rule} Extra required key '${extra}' supplied.`)
}

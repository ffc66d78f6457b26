// JSON in the form that a schema declares, as Go's decoder fills a struct: names match without case, null leaves a
// field as it was, and in a list or a map it is the zero of its kind.
import { unwrap } from '@atoll/kernel/http/validation/describe-schema'
import type { $ZodType, $ZodTypes } from 'zod/v4/core'

interface Form {
  /** Of an object: its fields by their folded names. */
  fields?: Map<string, { name: string; schema: $ZodType }>
  /** Of a list or a map. */
  items?: $ZodType
}

const forms = new WeakMap<$ZodType, Form>()

/** Only what this engine declares has its name mended: the rest is as it came. Changes `value`, and returns it. */
export function inDeclaredForm(schema: $ZodType, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { fields, items } = formOf(schema)
  if (Array.isArray(value)) {
    if (items !== undefined) for (const [index, item] of value.entries()) value[index] = itemForm(items, item)
    return value
  }
  const object = value as Record<string, unknown>
  if (fields !== undefined) fillFields(object, fields)
  else if (items !== undefined) {
    for (const [name, item] of Object.entries(object)) put(object, name, itemForm(items, item))
  }
  return object
}

function fillFields(object: Record<string, unknown>, fields: NonNullable<Form['fields']>): void {
  const given = Object.entries(object).flatMap(([key, value]) => {
    const field = fields.get(folded(key))
    return field === undefined ? [] : [{ key, value, field }]
  })
  for (const { key } of given) delete object[key]
  for (const { value, field } of given) {
    if (value !== null) put(object, field.name, inDeclaredForm(field.schema, value))
  }
}

const put = (object: Record<string, unknown>, name: string, value: unknown): void => {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
}

const itemForm = (schema: $ZodType, value: unknown): unknown =>
  value === null ? zeroOf(schema) : inDeclaredForm(schema, value)

/** As Go folds names: of all letters beyond ASCII, only these two are the same as one of ASCII. */
const folded = (name: string): string => name.replaceAll('\u017f', 's').replaceAll('\u212a', 'k').toLowerCase()

function formOf(schema: $ZodType): Form {
  const known = forms.get(schema)
  if (known !== undefined) return known
  const made = makeForm(schema)
  forms.set(schema, made)
  return made
}

function makeForm(schema: $ZodType): Form {
  const { def } = (unwrap(schema) as $ZodTypes)._zod
  switch (def.type) {
    case 'object': {
      const fields = Object.entries(def.shape).map(([name, field]) => [folded(name), { name, schema: field }] as const)
      return { fields: new Map(fields) }
    }
    case 'array':
      return { items: def.element }
    case 'tuple':
      return def.items[0] === undefined ? {} : { items: def.items[0] }
    case 'record':
      return { items: def.valueType }
    case 'union':
      return Object.assign({}, ...def.options.map(formOf))
    default:
      return {}
  }
}

/** What may be null stays so. */
function zeroOf(schema: $ZodType): unknown {
  const { def } = (schema as $ZodTypes)._zod
  if (def.type === 'nullable' || def.type === 'optional') return null
  switch ((unwrap(schema) as $ZodTypes)._zod.def.type) {
    case 'string':
      return ''
    case 'number':
      return 0
    case 'boolean':
      return false
    case 'array':
      return []
    case 'object':
    case 'record':
      return {}
    default:
      return null
  }
}

// Zod schemas as JSON schemas. What is shared or recursive is named once, under `components` of the document.
import { ZodObject, type ZodType, z } from 'zod'

export type JsonSchema = Record<string, unknown>

const componentPath = '#/components/schemas/'

export class SchemaCollection {
  readonly components: Record<string, JsonSchema> = {}

  /** `name` is for a schema that refers to itself and has no name of its own. */
  add(schema: ZodType, io: 'input' | 'output', name: string): JsonSchema {
    const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: tidy })
    const refersToItself = JSON.stringify([root, $defs]).includes('"$ref":"#"')
    const renamed = new Map<string, string>()
    for (const key of Object.keys($defs)) {
      renamed.set(`#/$defs/${key}`, isNamed(key) ? key : this.#freeName(name))
    }
    if (refersToItself) renamed.set('#', this.#freeName(name))
    for (const [key, inner] of Object.entries($defs)) this.#define(renamed.get(`#/$defs/${key}`), inner, renamed)
    const own = renamed.get('#')
    if (own === undefined) return withRefs(root, renamed)
    this.#define(own, root, renamed)
    return { $ref: componentPath + own }
  }

  #define(name: string | undefined, schema: JsonSchema, renamed: Map<string, string>): void {
    if (name !== undefined) this.components[name] = withRefs(schema, renamed)
  }

  #freeName(wanted: string): string {
    let name = wanted
    for (let number = 2; name in this.components; number++) name = `${wanted}_${number}`
    this.components[name] = {}
    return name
  }
}

/** By its author; zod numbers the others. */
const isNamed = (key: string): boolean => !key.startsWith('__')

/** The safe-integer range is a property of JavaScript, not of the API. */
function tidy({ jsonSchema: node }: { jsonSchema: JsonSchema }): void {
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum
}

function withRefs<Value>(value: Value, renamed: Map<string, string>): Value {
  return JSON.parse(JSON.stringify(value), (key, inner) => {
    const name = key === '$ref' ? renamed.get(inner) : undefined
    return name === undefined ? inner : componentPath + name
  })
}

export const objectProperties = (schema: ZodType | undefined): Record<string, ZodType> =>
  schema instanceof ZodObject ? (schema.shape as Record<string, ZodType>) : {}

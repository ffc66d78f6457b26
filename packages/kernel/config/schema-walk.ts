// Finds what a schema knows about one place in the configuration.
import { z } from 'zod'

export type Path = readonly PropertyKey[]

/** What the schema says of the setting at `path` beyond its type. */
export function metaAt(schema: z.ZodType, path: Path): Record<string, unknown> {
  for (const found of schemasAt(schema, path)) {
    const meta = z.globalRegistry.get(found)
    if (meta) return meta
  }
  return {}
}

export const namesAt = (schema: z.ZodType, path: Path): string[] =>
  schemasAt(schema, path).flatMap((found) => (found instanceof z.ZodObject ? Object.keys(found.shape) : []))

/** The schemas that judge what lies at `path`, wrappers and branches taken apart. */
function schemasAt(schema: z.ZodType, path: Path): z.ZodType[] {
  const opened = unwrap(schema)
  const [name, ...deeper] = path
  if (name === undefined) return opened
  return opened.flatMap((found) => {
    const inner = innerOf(found, name)
    return inner ? schemasAt(inner, deeper) : []
  })
}

function innerOf(schema: z.ZodType, name: PropertyKey): z.ZodType | undefined {
  if (schema instanceof z.ZodObject) return Object.hasOwn(schema.shape, name) ? schema.shape[String(name)] : undefined
  if (schema instanceof z.ZodArray) return schema.element as z.ZodType
  if (schema instanceof z.ZodRecord) return schema.valueType as z.ZodType
  return undefined
}

function unwrap(schema: z.ZodType): z.ZodType[] {
  if (schema instanceof z.ZodUnion) return [schema, ...schema.options.flatMap((option) => unwrap(option as z.ZodType))]
  const wrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  return wrapped ? [schema, ...unwrap(schema.unwrap() as z.ZodType)] : [schema]
}

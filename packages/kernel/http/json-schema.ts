// Zod schemas as JSON schemas, for the document.
import { ZodObject, type ZodType, z } from 'zod'

export type JsonSchema = Record<string, unknown>

export function jsonSchema(schema: ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: tidy })
  return rest
}

/** The safe-integer range is a property of JavaScript, not of the API. */
function tidy({ jsonSchema: node }: { jsonSchema: JsonSchema }): void {
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum
}

export const objectProperties = (schema: ZodType | undefined): Record<string, ZodType> =>
  schema instanceof ZodObject ? (schema.shape as Record<string, ZodType>) : {}

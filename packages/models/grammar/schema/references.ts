// `$ref`: pointers within one schema. Nothing is ever fetched.
import type { SchemaPath } from './schema-problem.ts'

interface Referred {
  schema: unknown
  path: SchemaPath
}

/** What `#` or `#/$defs/name` points to. */
export function resolvePointer(root: unknown, reference: string): Referred | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined
  const path: (string | number)[] = []
  let schema = root
  for (const step of reference.split('/').slice(1)) {
    const name = decoded(step)
    if (name === undefined || typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, name)) return
    path.push(Array.isArray(schema) ? Number(name) : name)
    schema = (schema as Record<string, unknown>)[name]
  }
  const isSchema =
    typeof schema === 'boolean' || (typeof schema === 'object' && schema !== null && !Array.isArray(schema))
  return isSchema ? { schema, path } : undefined
}

function decoded(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return undefined
  }
}

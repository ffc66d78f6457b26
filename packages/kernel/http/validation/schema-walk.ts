// Follows the path of an issue through a schema and the value it was checked on.
import type { $ZodType, $ZodTypes } from 'zod/v4/core'
import { unwrap } from './describe-schema.ts'
import type { PathStep } from './param-path.ts'

export interface Spot {
  /** Undefined where the schema says nothing of this place. */
  schema: $ZodType | undefined
  value: unknown
}

export function descend(start: Spot, path: readonly PathStep[]): Spot {
  let { schema, value } = start
  for (const step of path) {
    schema = schema === undefined ? undefined : stepInto(schema, value, step)
    value = propertyOf(value, step)
  }
  return { schema, value }
}

function stepInto(schema: $ZodType, value: unknown, step: PathStep): $ZodType | undefined {
  const { def } = (unwrap(schema) as $ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return def.shape[String(step)] ?? ifAny(def.catchall)
    case 'record':
      return def.valueType
    case 'array':
      return def.element
    case 'tuple':
      return typeof step === 'number' ? (def.items[step] ?? def.rest ?? undefined) : undefined
    case 'intersection':
      return stepInto(def.left, value, step) ?? stepInto(def.right, value, step)
    case 'union':
      return stepIntoUnion(def, value, step)
    default:
      return undefined
  }
}

/** A strict object says of every further name that nothing can stand there. */
const ifAny = (catchall: $ZodType | undefined): $ZodType | undefined =>
  catchall?._zod.def.type === 'never' ? undefined : catchall

type UnionDef = Extract<$ZodTypes['_zod']['def'], { type: 'union' }>

function stepIntoUnion(def: UnionDef, value: unknown, step: PathStep): $ZodType | undefined {
  const { options } = def
  const tag = 'discriminator' in def ? String(def.discriminator) : undefined
  const isMeant = (option: $ZodType) => literalsFit(option, value) && (tag === undefined || tagFits(option, value, tag))
  const fitting = options.find((option) => isMeant(option) && stepInto(option, value, step) !== undefined)
  const any = fitting ?? options.find((option) => stepInto(option, value, step) !== undefined)
  return any === undefined ? undefined : stepInto(any, value, step)
}

/** Whether every literal property of an object schema has its value: the tagged branch of a union. */
export function literalsFit(schema: $ZodType, value: unknown): boolean {
  const { def } = (unwrap(schema) as $ZodTypes)._zod
  if (def.type !== 'object') return true
  return Object.entries(def.shape).every(([name, property]) => {
    const inner = (unwrap(property) as $ZodTypes)._zod.def
    return inner.type !== 'literal' || inner.values.includes(propertyOf(value, name) as string)
  })
}

/** A branch may stand for several values of its union's tag. */
function tagFits(schema: $ZodType, value: unknown, tag: string): boolean {
  const { def } = (unwrap(schema) as $ZodTypes)._zod
  if (def.type !== 'object') return true
  const inner = (unwrap(def.shape[tag] ?? schema) as $ZodTypes)._zod.def
  return inner.type !== 'enum' || Object.values(inner.entries).includes(propertyOf(value, tag) as string)
}

export function knownNames(schema: $ZodType | undefined, value: unknown): string[] {
  if (schema === undefined) return []
  const { def } = (unwrap(schema) as $ZodTypes)._zod
  if (def.type === 'object') return Object.keys(def.shape)
  if (def.type === 'intersection') return [...knownNames(def.left, value), ...knownNames(def.right, value)]
  if (def.type !== 'union') return []
  const fitting = def.options.filter((option) => literalsFit(option, value))
  return fitting.flatMap((option) => knownNames(option, value))
}

function propertyOf(value: unknown, step: PathStep): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.hasOwn(value, step) ? (value as Record<PathStep, unknown>)[step] : undefined
}

// A configuration for people: every setting, what it is, and where that came from. Secrets are left out.
import type { z } from 'zod'
import { shown } from './config-problems.ts'
import { whereFrom } from './load-config.ts'
import { metaAt } from './schema-walk.ts'

export interface DescribedSetting {
  /** `database.poolSize` */
  key: string
  /** As JSON, cut where it is long. Null: it is secret. */
  value: string | null
  /** A variable, a flag, or a line of the file. Null: it is the default. */
  source: string | null
}

export const describeConfig = (schema: z.ZodObject, config: Record<string, unknown>): DescribedSetting[] =>
  settingsIn(config, []).map(({ path, value }) => {
    const key = path.join('.')
    return { key, value: isSecret(schema, path) ? null : textOf(value), source: whereFrom(config, key) ?? null }
  })

/** What lies in something secret is secret too, and so is a list of secrets. */
const isSecret = (schema: z.ZodObject, path: readonly PropertyKey[]): boolean =>
  [...path.map((_, index) => path.slice(0, index + 1)), [...path, 0]].some(
    (place) => metaAt(schema, place).secret === true,
  )

/** Lists of groups are only counted: they are long, and may hold secrets themselves. */
function textOf(value: unknown): string {
  const isOfGroups = Array.isArray(value) && value.some((one) => typeof one === 'object' && one !== null)
  return isOfGroups ? `(${value.length} entries)` : shown(value)
}

/** A list is one setting. */
function settingsIn(value: unknown, path: string[]): { path: string[]; value: unknown }[] {
  if (value === undefined) return []
  const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isGroup) return [{ path, value }]
  return Object.entries(value).flatMap(([name, inner]) => settingsIn(inner, [...path, name]))
}

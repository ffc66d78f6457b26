// Fills {{…}} in the texts of a mapping from the request. There are paths and nothing else: no loops, no conditions.
import type { HookRequest } from '../ports.ts'

export interface TemplateValues extends HookRequest {
  /** When the request came, as an ISO date. */
  now: string
}

/** What one text may become. */
export const maxRenderedCharacters = 262_144

export class TemplateTooLong extends Error {
  override name = 'TemplateTooLong'
}

const expressions = /\{\{([^{}]+)\}\}/g
const steps = /\[(\d+)\]|[^.[\]]+/g
const maxSteps = 64

/** They lead out of the data, to what all objects share. */
const blockedKeys: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor'])

export function renderTemplate(template: string, values: TemplateValues): string {
  let length = template.length
  return template.replace(expressions, (_whole, expression: string) => {
    const text = textOf(valueAt(expression.trim(), values))
    length += text.length
    if (length > maxRenderedCharacters) throw new TemplateTooLong()
    return text
  })
}

function valueAt(expression: string, values: TemplateValues): unknown {
  if (expression === 'path') return values.path
  if (expression === 'now') return values.now
  if (expression.startsWith('headers.')) return own(values.headers, expression.slice('headers.'.length).toLowerCase())
  if (expression.startsWith('query.')) return own(values.query, expression.slice('query.'.length))
  if (expression.startsWith('payload.')) return follow(values.payload, expression.slice('payload.'.length))
  return follow(values.payload, expression)
}

function follow(value: unknown, path: string): unknown {
  let at = value
  let taken = 0
  for (const [step, index] of path.matchAll(steps)) {
    if (++taken > maxSteps) return undefined
    at = index === undefined ? own(at, step) : item(at, Number(index))
  }
  return taken === 0 ? undefined : at
}

function own(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || blockedKeys.has(key)) return undefined
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined
}

const item = (value: unknown, index: number): unknown => (Array.isArray(value) ? value[index] : undefined)

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'object') return JSON.stringify(value)
  return String(value)
}

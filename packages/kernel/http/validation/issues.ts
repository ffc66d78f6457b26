// Picks the one issue a caller should hear of, out of all that zod found, with the exact place and plain words.
import type { $ZodIssue, $ZodType } from 'zod/v4/core'
import type { Issue } from '../error.ts'
import type { Context, Finding } from './issue-context.ts'
import { boundIssue, missingIssue, typeIssue, unknownIssue, valueIssue } from './issue-kinds.ts'
import { paramPath } from './param-path.ts'
import { descend } from './schema-walk.ts'
import { bestOfBranches } from './union-issue.ts'

export function bestIssue(
  issues: readonly $ZodIssue[],
  root: { schema: $ZodType; value: unknown; place: Issue['place'] },
): Issue {
  return bestFinding(issues, { ...root, path: [] }).issue
}

/** A hostile input can have millions; the first ones say what is wrong as well. */
const maxIssuesWeighed = 100

export function bestFinding(issues: readonly $ZodIssue[], context: Context): Finding {
  const findings = issues.slice(0, maxIssuesWeighed).map((issue) => resolve(issue, context))
  const first = typo(findings) ?? findings.find(({ issue }) => issue.kind !== 'unknown') ?? findings[0]
  if (first === undefined) throw new Error('A failed check without an issue')
  return tightest(first, findings)
}

/** A mistyped name explains the missing one; the other way round it would puzzle. */
function typo(findings: Finding[]): Finding | undefined {
  const missing = new Set(findings.filter(({ issue }) => issue.kind === 'missing').map(({ issue }) => issue.param))
  return findings.find(({ issue }) => {
    return issue.unknown?.some(({ nearest }) => nearest !== undefined && missing.has(nearest))
  })
}

/** A number may break several upper bounds at once, the safe-integer range among them. */
function tightest(first: Finding, findings: Finding[]): Finding {
  if (first.issue.kind !== 'too_big') return first
  const same = findings.filter(({ issue }) => issue.kind === 'too_big' && issue.param === first.issue.param)
  const limit = ({ issue }: Finding) => issue.bound?.limit ?? Number.POSITIVE_INFINITY
  return same.reduce((best, one) => (limit(one) < limit(best) ? one : best))
}

function resolve(raw: $ZodIssue, context: Context): Finding {
  const path = [...context.path, ...raw.path]
  const spot = descend(context, raw.path)
  const here: Context = { ...spot, value: inputOf(raw, spot.value), place: context.place, path }
  if (raw.code === 'invalid_union' && raw.errors.length > 0) return bestOfBranches(raw.errors, here, bestFinding)
  if (raw.code === 'invalid_key') {
    return bestFinding(raw.issues, { schema: undefined, value: path.at(-1), place: context.place, path })
  }
  return { issue: toIssue(raw, here), depth: path.length }
}

/** What zod saw, where it says so: a schema may have turned text into something else before it judged it. */
const inputOf = (raw: $ZodIssue, fallback: unknown): unknown =>
  'input' in raw && !('discriminator' in raw) ? raw.input : fallback

function toIssue(raw: $ZodIssue, here: Context): Issue {
  if (here.value === undefined && expectsSomething(raw)) return missingIssue(here)
  switch (raw.code) {
    case 'invalid_type':
      return typeIssue(here, raw.expected)
    case 'invalid_value':
      return valueIssue(here, raw.values)
    case 'invalid_union':
      return 'options' in raw && Array.isArray(raw.options)
        ? valueIssue(here, raw.options)
        : { ...base(here), kind: 'other', message: sentence(raw.message) }
    case 'too_big':
      return boundIssue(here, 'too_big', raw.origin, Number(raw.maximum), raw.inclusive ?? true)
    case 'too_small':
      return boundIssue(here, 'too_small', raw.origin, Number(raw.minimum), raw.inclusive ?? true)
    case 'unrecognized_keys':
      return unknownIssue(here, raw.keys)
    case 'invalid_format':
      return { ...base(here), kind: 'format', message: sentence(raw.message) }
    default:
      return { ...base(here), kind: 'other', message: sentence(raw.message) }
  }
}

const expectsSomething = ({ code }: $ZodIssue): boolean =>
  code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union'

const base = ({ place, path }: Context) => ({ place, param: path.length === 0 ? null : paramPath(path) })

const sentence = (message: string): string => (/[.!?)]$/.test(message) ? message : `${message}.`)

// When no branch of a union fits: which branch did the caller mean?
import type { $ZodIssue, $ZodTypes } from 'zod/v4/core'
import { unwrap } from './describe-schema.ts'
import type { Context, Finding } from './issue-context.ts'
import { typeIssue } from './issue-kinds.ts'
import { literalsFit } from './schema-walk.ts'

interface Branch extends Finding {
  fitsTag: boolean
  issues: number
}

type Find = (issues: readonly $ZodIssue[], context: Context) => Finding

export function bestOfBranches(errors: readonly (readonly $ZodIssue[])[], here: Context, find: Find): Finding {
  const options = optionsOf(here)
  const branches = errors.map((issues, index): Branch => {
    const schema = options[index]
    const finding = find(issues, { ...here, schema })
    return { ...finding, fitsTag: schema === undefined || literalsFit(schema, here.value), issues: issues.length }
  })
  const ofRightType = branches.filter(({ issue, depth }) => issue.kind !== 'type' || depth > here.path.length)
  if (ofRightType.length === 0) return { issue: typeIssue(here, 'value'), depth: here.path.length }
  return mergeValues(ofRightType) ?? ofRightType.reduce((best, one) => (isBetter(one, best) ? one : best))
}

function optionsOf({ schema }: Context): readonly Context['schema'][] {
  if (schema === undefined) return []
  const { def } = (unwrap(schema) as $ZodTypes)._zod
  return def.type === 'union' ? def.options : []
}

function isBetter(one: Branch, other: Branch): boolean {
  if (one.fitsTag !== other.fitsTag) return one.fitsTag
  if (one.depth !== other.depth) return one.depth > other.depth
  return one.issues < other.issues
}

/** Branches that differ only in which values they take at one place: the caller hears all of these values. */
function mergeValues(branches: Branch[]): Finding | undefined {
  const [first] = branches
  if (first === undefined || branches.length < 2) return undefined
  const alike = branches.every(({ issue }) => issue.kind === 'value' && issue.param === first.issue.param)
  if (!alike) return undefined
  const supported = [...new Set(branches.flatMap(({ issue }) => issue.supported ?? []))]
  const words = supported.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
  const message = `Invalid value: ${first.issue.received}. Supported values are: ${words.join(', ')}.`
  return { depth: first.depth, issue: { ...first.issue, supported, message } }
}

// Turns what is wrong with an input into the platform's words and codes.
import type { Issue } from '@atoll/kernel/http/error'

interface IssueError {
  message: string
  param: string | null
  code: string | null
}

export function issueError(issue: Issue): IssueError {
  const { param } = issue
  const name = param ?? 'body'
  switch (issue.kind) {
    case 'missing':
      return { message: `Missing required parameter: '${name}'.`, param, code: 'missing_required_parameter' }
    case 'type':
      return {
        message: `Invalid type for '${name}': expected ${issue.expected}, but got ${issue.received} instead.`,
        param,
        code: 'invalid_type',
      }
    case 'value':
      return {
        message: `Invalid value: ${issue.received}. Supported values are: ${supportedValues(issue.supported ?? [])}.`,
        param,
        code: 'invalid_value',
      }
    case 'unknown':
      return unknownParameter(issue)
    case 'too_big':
    case 'too_small':
      return outOfBounds(issue)
    case 'format':
    case 'other':
      return { message: `Invalid '${name}': ${issue.message}`, param, code: 'invalid_value' }
  }
}

function supportedValues(values: NonNullable<Issue['supported']>): string {
  const quoted = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
  if (quoted.length < 2) return quoted.join('')
  const last = quoted.pop()
  return `${quoted.join(', ')}${quoted.length > 1 ? ',' : ''} and ${last}`
}

function unknownParameter(issue: Issue): IssueError {
  const unknown = issue.unknown ?? []
  const names = unknown.map(({ name, nearest }) => (nearest ? `'${name}' (did you mean '${nearest}'?)` : `'${name}'`))
  return {
    message: `Unknown parameter${names.length > 1 ? 's' : ''}: ${names.slice(0, 10).join(', ')}.`,
    param: unknown[0]?.name ?? issue.param,
    code: 'unknown_parameter',
  }
}

function outOfBounds(issue: Issue): IssueError {
  const { param, bound, kind } = issue
  const name = param ?? 'body'
  if (!bound) return { message: `Invalid '${name}': ${issue.message}`, param, code: 'invalid_value' }
  const above = kind === 'too_big'
  const comparison = above ? (bound.inclusive ? '<=' : '<') : bound.inclusive ? '>=' : '>'
  const got = bound.actual === undefined ? '' : `, but got ${bound.actual} instead`
  const relation = above ? 'above maximum' : 'below minimum'
  switch (bound.of) {
    case 'string':
    case 'array':
    case 'object': {
      if (bound.of === 'array' && !above && bound.limit === 1) {
        return { message: `Invalid '${name}': empty array. Expected at least 1 element.`, param, code: 'empty_array' }
      }
      const unit = bound.of === 'string' ? 'length' : bound.of === 'array' ? 'number of elements' : 'number of pairs'
      const measure = bound.of === 'object' ? 'properties' : 'length'
      return {
        message: `Invalid '${name}': ${bound.of} ${unit} ${relation}. Expected ${comparison} ${bound.limit}${got}.`,
        param,
        code: `${bound.of}_${above ? 'above_max' : 'below_min'}_${measure}`,
      }
    }
    case 'integer':
    case 'decimal':
      return {
        message: `Invalid '${name}': ${bound.of} ${relation} value. Expected a value ${comparison} ${bound.limit}${got}.`,
        param,
        code: `${bound.of}_${above ? 'above_max' : 'below_min'}_value`,
      }
  }
}

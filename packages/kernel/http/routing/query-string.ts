// Query strings: `a=1&a=2` and `a[]=1` are lists, `a[b]=c` is one level of object.
import type { ErrorCatalogue } from '../error.ts'
import { refuseNul } from '../validation/nul.ts'

const maxParameters = 100
const maxQueryLength = 16 * 1024

export type QueryValue = string | string[] | { [name: string]: string | string[] }

export function parseQuery(text: string, errors: ErrorCatalogue): Record<string, QueryValue> {
  const query: Record<string, QueryValue> = Object.create(null)
  if (text === '') return query
  if (text.length > maxQueryLength) throw errors.badRequest(`The query is longer than ${maxQueryLength} characters.`)
  const pairs = text.split('&')
  if (pairs.length > maxParameters) throw errors.badRequest(`The query has more than ${maxParameters} parameters.`)
  for (const pair of pairs) {
    if (pair !== '') addPair(query, pair, errors)
  }
  refuseNul(query, 'query', errors)
  return query
}

function addPair(query: Record<string, QueryValue>, pair: string, errors: ErrorCatalogue): void {
  const equals = pair.indexOf('=')
  const key = decode(equals < 0 ? pair : pair.slice(0, equals), errors)
  const value = equals < 0 ? '' : decode(pair.slice(equals + 1), errors)
  const [, name = key, inner] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(key) ?? []
  if (inner === undefined) query[name] = append(query[name], value, false, errors)
  else if (inner === '' || /^\d+$/.test(inner)) query[name] = append(query[name], value, true, errors)
  else query[name] = nest(query[name], inner, value, errors)
}

function append(old: QueryValue | undefined, value: string, isList: boolean, errors: ErrorCatalogue): QueryValue {
  if (old === undefined) return isList ? [value] : value
  if (typeof old === 'string') return [old, value]
  if (Array.isArray(old)) return [...old, value]
  throw errors.badRequest('A query parameter is given both as a value and as an object.')
}

function nest(old: QueryValue | undefined, inner: string, value: string, errors: ErrorCatalogue): QueryValue {
  if (typeof old === 'string' || Array.isArray(old)) {
    throw errors.badRequest('A query parameter is given both as a value and as an object.')
  }
  const object: { [name: string]: string | string[] } = old ?? Object.create(null)
  object[inner] = append(object[inner], value, false, errors) as string | string[]
  return object
}

function decode(text: string, errors: ErrorCatalogue): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    throw errors.badRequest('The query contains malformed percent encoding.')
  }
}

// Matches the paths of routes outside the router: which methods a path knows, and connections that leave HTTP.
import { hasNul } from '../validation/nul.ts'

export type PathMatcher = (path: string) => Record<string, string> | undefined

export function compilePath(pattern: string): PathMatcher {
  const names: string[] = []
  const source = pattern
    .split('/')
    .map((segment) => {
      if (segment === '*') return nameIt('*', '(.*)')
      if (segment.startsWith(':')) return nameIt(segment.slice(1), '([^/]+)')
      return segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    })
    .join('/')
  const expression = new RegExp(`^${source}$`)

  function nameIt(name: string, group: string): string {
    names.push(name)
    return group
  }

  return (path) => {
    const match = expression.exec(path)
    if (match === null) return undefined
    return decodeAll(names, match.slice(1))
  }
}

function decodeAll(names: string[], texts: string[]): Record<string, string> | undefined {
  try {
    const values = texts.map(decodeURIComponent)
    return values.some(hasNul) ? undefined : Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
  } catch {
    return undefined // Malformed percent encoding names nothing.
  }
}

export const pathOf = (url: string | undefined): string => {
  const text = url ?? ''
  const questionMark = text.indexOf('?')
  return questionMark < 0 ? text : text.slice(0, questionMark)
}

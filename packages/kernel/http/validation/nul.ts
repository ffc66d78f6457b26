// The NUL character is refused in every text from outside: PostgreSQL cannot keep it, so no service may promise to.
import type { ErrorCatalogue, Issue } from '../error.ts'
import { type PathStep, paramPath } from './param-path.ts'

export const hasNul = (text: string): boolean => text.includes('\0')

export function refuseNul(value: unknown, place: Issue['place'], errors: ErrorCatalogue): void {
  const path = pathToNul(value, [])
  if (path !== undefined) refuseNulAt(path, place, errors)
}

export function refuseNulAt(path: readonly PathStep[], place: Issue['place'], errors: ErrorCatalogue): never {
  const param = paramPath(path)
  const message = 'the NUL character (U+0000) cannot be stored.'
  throw errors.invalid({ kind: 'format', place, param: param === '' ? null : param, message })
}

/** The depth of the value was checked before. */
function pathToNul(value: unknown, path: PathStep[]): PathStep[] | undefined {
  if (typeof value === 'string') return hasNul(value) ? path : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const step = Array.isArray(value) ? Number(key) : key
    if (hasNul(key)) return path
    const found = pathToNul(inner, [...path, step])
    if (found !== undefined) return found
  }
  return undefined
}

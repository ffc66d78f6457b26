// `--cache-from` and `--cache-to`.
import type { SolveRequest } from '../protocol/control.ts'
import { refusal } from './frontend-attrs.ts'

type CacheOptions = NonNullable<SolveRequest['cache']>

/** References of images whose layers may be taken. */
export function cacheSources({ imports = [] }: Partial<CacheOptions>): string[] {
  return imports.map(({ type = '', attrs = new Map<string, string>() }) => {
    const reference = attrs.get('ref') ?? ''
    if (type !== 'registry' || reference === '') {
      throw refusal(`cache-from type=${type}: this engine takes layers of images only (type=registry,ref=NAME)`)
    }
    return reference
  })
}

/** An image says itself how it was made: that is all that `inline` needs. */
export function checkCacheTargets({ exports = [] }: Partial<CacheOptions>): void {
  const other = exports.find(({ type }) => type !== 'inline')
  if (other !== undefined) {
    throw refusal(`cache-to type=${other.type}: this engine keeps its cache itself; type=inline is what images carry`)
  }
}

import type { Attributes, SearchFilter } from './schema.ts'

/** A file without the attribute is only found by what it is not. Numbers and words are not compared with one another. */
export function matches(filter: SearchFilter, attributes: Attributes): boolean {
  if ('filters' in filter) {
    const isMatched = (one: SearchFilter) => matches(one, attributes)
    return filter.type === 'and' ? filter.filters.every(isMatched) : filter.filters.some(isMatched)
  }
  const value = Object.hasOwn(attributes, filter.key) ? attributes[filter.key] : undefined
  if (filter.type === 'eq') return value === filter.value
  if (filter.type === 'ne') return value !== filter.value
  if (filter.type === 'in') return value !== undefined && filter.value.includes(value)
  if (filter.type === 'nin') return value === undefined || !filter.value.includes(value)
  const { type, value: border } = filter
  if (value === undefined || typeof value !== typeof border) return false
  if (type === 'gt') return value > border
  if (type === 'gte') return value >= border
  return type === 'lt' ? value < border : value <= border
}

// A page of a list that is in memory.
import { InvalidCursor, type Page, type PageQuery } from '@atoll/kernel/db/page'

export function pageOf<Row extends { id: string }>(rows: readonly Row[], query: Omit<PageQuery, 'order'>): Page<Row> {
  const { after, before, limit } = query
  const from = after === undefined ? 0 : placeOf(rows, after, 'after') + 1
  const to = before === undefined ? rows.length : placeOf(rows, before, 'before')
  const range = rows.slice(from, Math.max(from, to))
  const isBackwards = before !== undefined && after === undefined
  return { rows: isBackwards ? range.slice(-limit) : range.slice(0, limit), hasMore: range.length > limit }
}

function placeOf(rows: readonly { id: string }[], id: string, parameter: 'after' | 'before'): number {
  const place = rows.findIndex((row) => row.id === id)
  if (place < 0) throw new InvalidCursor(parameter)
  return place
}

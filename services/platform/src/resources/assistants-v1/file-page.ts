// Lists of the few files that an object names: the order in which they were attached is their order.
import type { PageQuery } from '@atoll/kernel/db/page'
import { type ListEnvelope, listPage } from '../../conventions/lists.ts'
import { listErrors } from '../../errors/errors.ts'

/** `files` has the oldest first. */
export function filePage<File extends { id: string }>(
  files: readonly File[],
  page: PageQuery,
): Promise<ListEnvelope<File>> {
  return listPage(
    page,
    async (query) => sliceOf(files, query),
    (file) => file,
  )
}

function sliceOf<File extends { id: string }>(files: readonly File[], { after, before, limit, order }: PageQuery) {
  const listed = order === 'asc' ? files : files.toReversed()
  const place = (parameter: 'after' | 'before', id: string): number => {
    const index = listed.findIndex((file) => file.id === id)
    if (index === -1) throw listErrors.invalidCursor(parameter)
    return index
  }
  const from = after === undefined ? 0 : place('after', after) + 1
  const to = before === undefined ? listed.length : place('before', before)
  const range = listed.slice(from, Math.max(from, to))
  const backwards = before !== undefined && after === undefined
  return { rows: backwards ? range.slice(-limit) : range.slice(0, limit), hasMore: range.length > limit }
}

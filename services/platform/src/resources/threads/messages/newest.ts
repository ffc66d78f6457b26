// The newest messages of a thread that a run reads: some at a time, and no more than a model could.
import type { Page, PageQuery } from '@atoll/kernel/db/page'
import type { MessageRow } from './item-row.ts'

const pageMessages = 50
const maxLetters = 32 * 1024 * 1024

/** Finished ones with content, newest first. */
export async function newestThatFit(
  list: (query: PageQuery) => Promise<Page<MessageRow>>,
  last = Number.POSITIVE_INFINITY,
): Promise<MessageRow[]> {
  const found: MessageRow[] = []
  let letters = 0
  let after: string | undefined
  for (;;) {
    const { rows, hasMore } = await list({
      limit: pageMessages,
      order: 'desc',
      ...(after === undefined ? {} : { after }),
    })
    for (const row of rows) {
      if (row.status === 'in_progress' || row.content === '[]') continue
      letters += row.content.length + (row.item?.length ?? 0)
      if (found.length >= last || (letters > maxLetters && found.length > 0)) return found
      found.push(row)
    }
    after = rows.at(-1)?.id
    if (!hasMore || found.length >= last) return found
  }
}

// The list envelope every paginated list answers with.
import type { Page, PageQuery } from '@atoll/kernel/db/page'
import { InvalidCursor } from '@atoll/kernel/db/page'
import { mapInTurns } from '@atoll/kernel/loop-turns'
import { z } from 'zod'
import { listErrors } from '../errors/errors.ts'

/** All lists share them: each schema takes memory for as long as the server runs. */
const list = z.literal('list')
const edge = z.string().nullable()
const hasMore = z.boolean()

export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ object: list, data: z.array(item), first_id: edge, last_id: edge, has_more: hasMore })

export interface ListEnvelope<Item> {
  object: 'list'
  data: Item[]
  first_id: string | null
  last_id: string | null
  has_more: boolean
}

/** Runs a store's list query and wraps its rows. */
export async function listPage<Row extends { id: string }, Item>(
  query: PageQuery,
  find: (query: PageQuery) => Promise<Page<Row>>,
  present: (row: Row) => Item,
): Promise<ListEnvelope<Item>> {
  const page = await find(query).catch((error: unknown) => {
    if (error instanceof InvalidCursor) throw listErrors.invalidCursor(error.parameter)
    throw error
  })
  return {
    object: 'list',
    data: await mapInTurns(page.rows, present),
    first_id: page.rows.at(0)?.id ?? null,
    last_id: page.rows.at(-1)?.id ?? null,
    has_more: page.hasMore,
  }
}

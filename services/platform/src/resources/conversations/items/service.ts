// Items of conversations and of responses: one store, which threads read as messages.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Database, Queries, Tx } from '@atoll/kernel/db/database'
import type { PageQuery } from '@atoll/kernel/db/page'
import type { Ids } from '@atoll/kernel/ids/ids'
import { listPosition } from '@atoll/kernel/ids/new-object'
import { mapInTurns } from '@atoll/kernel/loop-turns'
import type { ProjectCaller } from '../../../callers.ts'
import { type ListEnvelope, listPage } from '../../../conventions/lists.ts'
import { responseErrors } from '../../../errors/responses.ts'
import type { MessageRow } from '../../threads/messages/item-row.ts'
import { EndedItems } from './ended-items.ts'
import { type ItemWork, itemOf, type KeptItem, keptOf, rowOf } from './kept-item.ts'
import type { InputItem, Item } from './schema.ts'
import * as store from './store.ts'

interface Parts {
  db: Database
  ids: Ids
  clock: Clock
}

/** Whose items they are. */
export interface Owner {
  /** The conversation they are kept in, or the response itself. */
  ownerId: string
  responseId: string | null
  source: 'input' | 'output' | null
}

export class Items {
  readonly #parts: Parts
  readonly #ended = new EndedItems(maxEndedLetters)

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** What was sent, with ids of ours; what it refers to, as it was. */
  async accept(caller: ProjectCaller, given: readonly InputItem[]): Promise<KeptItem[]> {
    const referred = await this.#referred(caller, given)
    const accepted = await mapInTurns(given, (one): KeptItem => {
      if (one.type !== 'item_reference') return { item: itemOf(this.#parts, one) }
      const found = referred.get(one.id)
      if (found === undefined) throw responseErrors.noSuchItem(one.id)
      return { ...found, item: itemOf(this.#parts, found.item) }
    })
    return withNewRequestIds(given, accepted)
  }

  /** Made before the transaction begins: a long history takes a while. */
  rowsOf(items: readonly KeptItem[], owner: Owner): Promise<MessageRow[]> {
    const now = unixSeconds(this.#parts.clock)
    return mapInTurns(items, (kept) => rowOf(listPosition(kept.item.id), now, kept, owner))
  }

  insertIn(tx: Tx, rows: readonly MessageRow[]): Promise<void> {
    return store.insertItems(tx, rows)
  }

  async changeIn(tx: Tx, { item, work }: KeptItem): Promise<void> {
    const change = { item: JSON.stringify(item), work: work === undefined ? null : JSON.stringify(work) }
    await store.changeItem(tx, item.id, { ...change, status: 'completed' })
  }

  list(ownerId: string, page: PageQuery, shown: (kept: KeptItem) => Item): Promise<ListEnvelope<Item>> {
    const find = (query: PageQuery) => store.listItems(this.#parts.db.queries, ownerId, query)
    return listPage(page, find, (row) => shown(keptOf(row)))
  }

  listInput(responseId: string, page: PageQuery, shown: (kept: KeptItem) => Item): Promise<ListEnvelope<Item>> {
    const find = (query: PageQuery) => store.listItemsOf(this.#parts.db.queries, responseId, 'input', query)
    return listPage(page, find, (row) => shown(keptOf(row)))
  }

  async input(responseId: string): Promise<KeptItem[]> {
    return mapInTurns(await store.itemsFrom(this.#parts.db.queries, responseId, 'input'), keptOf)
  }

  async output(responseId: string, queries: Queries = this.#parts.db.queries): Promise<KeptItem[]> {
    return mapInTurns(await store.itemsFrom(queries, responseId, 'output'), keptOf)
  }

  /** All that these ended responses were brought and have written, in the order of the responses. */
  async ofEnded(responses: readonly { id: string; letters: number }[]): Promise<KeptItem[]> {
    const found = new Map(responses.map(({ id }) => [id, this.#ended.get(id)]))
    const missing = responses.filter(({ id }) => found.get(id) === undefined)
    if (missing.length > 0) {
      const ids = missing.map(({ id }) => id)
      const rows = await store.itemsOfResponses(this.#parts.db.queries, ids)
      const read = Map.groupBy(await mapInTurns(rows, (row) => ({ id: row.run_id, kept: keptOf(row) })), ({ id }) => id)
      for (const { id, letters } of missing) {
        const items = (read.get(id) ?? []).map(({ kept }) => kept)
        found.set(id, items)
        this.#ended.set(id, items, letters)
      }
    }
    return responses.flatMap(({ id }) => found.get(id) ?? [])
  }

  /** The newest of a conversation, oldest first, in so many letters; `isWhole` when that is all of it. */
  async newest(
    ownerId: string,
    maxLetters: number,
    exceptResponse?: string,
  ): Promise<{ items: KeptItem[]; isWhole: boolean }> {
    const found: KeptItem[] = []
    let letters = 0
    let after: string | undefined
    for (;;) {
      const page = { limit: pageItems, order: 'desc' as const, ...(after === undefined ? {} : { after }) }
      const { rows, hasMore } = await store.listItems(this.#parts.db.queries, ownerId, page)
      for (const row of rows) {
        letters += row.content.length + (row.item?.length ?? 0)
        if (letters > maxLetters) return { items: found.reverse(), isWhole: false }
        if (row.status === 'in_progress' || (exceptResponse !== undefined && row.run_id === exceptResponse)) continue
        found.push(keptOf(row))
      }
      if (!hasMore) return { items: found.reverse(), isWhole: true }
      after = rows.at(-1)?.id
    }
  }

  async get(ownerId: string, id: string): Promise<KeptItem> {
    const row = await store.findItem(this.#parts.db.queries, ownerId, id)
    if (row === undefined) throw responseErrors.noSuchItem(id)
    return keptOf(row)
  }

  async deleteIn(tx: Tx, ownerId: string, id: string): Promise<void> {
    const row = await store.findItem(tx, ownerId, id)
    if (row === undefined || row.status === 'in_progress') throw responseErrors.noSuchItem(id)
    await store.deleteItem(tx, id)
  }

  async deleteAllIn(tx: Tx, ownerId: string): Promise<void> {
    await store.deleteItemsOf(tx, ownerId)
  }

  async #referred(caller: ProjectCaller, given: readonly InputItem[]): Promise<Map<string, Referred>> {
    const ids = given.flatMap((one) => (one.type === 'item_reference' ? [one.id] : []))
    if (ids.length === 0) return new Map()
    const rows = await store.findItems(this.#parts.db.queries, caller.projectId, [...new Set(ids)])
    return new Map(rows.map((row) => [row.id, keptOf(row)]))
  }
}

/** Requests for approval that came with this input have new ids: what answers them names those. */
function withNewRequestIds(given: readonly InputItem[], accepted: KeptItem[]): KeptItem[] {
  const newIds = new Map<string, string>()
  for (const [index, one] of given.entries()) {
    const now = accepted[index]?.item
    if (now?.type === 'mcp_approval_request' && one.id != null) newIds.set(one.id, now.id)
  }
  if (newIds.size === 0) return accepted
  return accepted.map((kept) => {
    const { item } = kept
    if (item.type !== 'mcp_approval_response' && item.type !== 'mcp_call') return kept
    const approval_request_id = newIds.get(item.approval_request_id ?? '')
    return approval_request_id === undefined ? kept : { ...kept, item: { ...item, approval_request_id } }
  })
}

const pageItems = 50
const maxEndedLetters = 16 * 1024 * 1024

interface Referred {
  item: Item
  work?: ItemWork | undefined
}

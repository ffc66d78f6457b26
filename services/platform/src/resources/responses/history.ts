// What a new response builds on: the responses before it, or its conversation.
import type { Database } from '@atoll/kernel/db/database'
import type { ProjectCaller } from '../../callers.ts'
import { responseErrors } from '../../errors/responses.ts'
import type { KeptItem } from '../conversations/items/kept-item.ts'
import type { Items } from '../conversations/items/service.ts'
import * as store from './store.ts'

const maxLetters = 32 * 1024 * 1024
const maxResponses = 1000

interface Parts {
  db: Database
  items: Items
}

interface Place {
  previousId: string | null
  conversationId: string | null
  /** What does not fit is left out, oldest first. */
  isCut: boolean
  /** Its own items in the conversation do not count. */
  except?: string
}

/** Oldest first. */
export async function historyOf(
  { db, items }: Parts,
  caller: ProjectCaller,
  { previousId, conversationId, isCut, except }: Place,
): Promise<KeptItem[]> {
  if (conversationId !== null) {
    const found = await items.newest(conversationId, maxLetters, except)
    if (!found.isWhole && !isCut) throw responseErrors.historyTooLong(maxLetters)
    return found.items
  }
  if (previousId === null) return []
  const chain = await store.chainOf(db.queries, caller.projectId, previousId, maxResponses + 1)
  checkChain(chain, previousId)
  const fitting = newestThatFit(chain)
  if (fitting.length < chain.length && !isCut) throw responseErrors.historyTooLong(maxLetters)
  return items.ofEnded(fitting.toReversed())
}

function checkChain(chain: readonly store.Link[], previousId: string): void {
  const [newest] = chain
  if (newest === undefined) throw responseErrors.noPreviousResponse(previousId)
  if (chain.length > maxResponses) throw responseErrors.chainTooLong(maxResponses)
  if (newest.conversation_id !== null) throw responseErrors.previousInConversation(newest.conversation_id)
  if (newest.status === 'queued' || newest.status === 'in_progress') throw responseErrors.previousAtWork(newest.id)
  const before = chain.at(-1)?.previous_id
  if (before != null) throw responseErrors.noPreviousResponse(before)
}

function newestThatFit(chain: readonly store.Link[]): store.Link[] {
  let letters = 0
  const end = chain.findIndex((link) => {
    letters += link.letters
    return letters > maxLetters
  })
  return end === -1 ? [...chain] : chain.slice(0, end)
}

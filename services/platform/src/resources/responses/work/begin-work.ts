// What happens before the model is asked for the first time.
import type { ChatMessage } from '@atoll/models/chat'
import { hasFiles, maxQueryLetters } from '../../../tool-loop/first-search.ts'
import type { LoopTools } from '../../../tool-loop/loop-tools.ts'
import { type Said, searchedQuestion } from '../../../tool-loop/question.ts'
import type { Prepared, PrepareParts } from '../prepare.ts'
import { withListed } from '../tools/declared-tools.ts'
import type { ResponseWork } from './response-work.ts'

/** The tools that the model is offered, those of MCP servers included. */
export async function beginWork(
  parts: Pick<PrepareParts, 'vectorStores'>,
  work: ResponseWork,
  prepared: Pick<Prepared, 'caller' | 'declared' | 'thread' | 'approved'>,
  signal: AbortSignal,
): Promise<LoopTools> {
  await beginSearch(parts, work, prepared)
  const { offers } = prepared.declared
  for (const offer of offers) if (!offer.isListed) await work.listTools(offer, signal)
  const listed = withListed(prepared.declared)
  work.offer(listed)
  await work.beginApproved(prepared.approved)
  return listed.tools
}

async function beginSearch(
  { vectorStores }: Pick<PrepareParts, 'vectorStores'>,
  work: ResponseWork,
  { caller, declared, thread }: Pick<Prepared, 'caller' | 'declared' | 'thread'>,
): Promise<void> {
  const name = declared.tools.hostedOf('file_search')?.definition.name
  if (name === undefined || work.turns > 0 || work.output.length > 0) return
  const { choice } = declared
  if (choice === 'none' || (typeof choice === 'object' && choice.type !== 'file_search')) return
  // Who brings the outputs of calls has asked before.
  if (thread.at(-1)?.role !== 'user') return
  const query = searchedQuestion(thread.flatMap(said)).slice(0, maxQueryLetters).toWellFormed()
  if (query === '') return
  const stores = declared.resources.file_search?.vector_store_ids ?? []
  if (await hasFiles(vectorStores, caller, stores)) await work.beginWithSearch(name, query)
}

function said({ role, content }: ChatMessage): Said[] {
  if ((role !== 'user' && role !== 'assistant') || content == null) return []
  if (typeof content === 'string') return [{ role, text: content }]
  return [{ role, text: content.map((part) => (part.type === 'text' ? part.text : '')).join('\n') }]
}

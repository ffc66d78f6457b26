// One answer of the model on its way into items: words into a message, calls into one item each.
import type { Making } from '@atoll/kernel/ids/new-object'
import type { ChoiceDelta, ToolCallDelta } from '@atoll/models/chat'
import type { CitationSources } from '../../../tool-loop/tools/citations.ts'
import type { McpCalls } from '../../../tool-loop/tools/mcp.ts'
import { type KeptItem, newItemId } from '../../conversations/items/kept-item.ts'
import type { Item } from '../../conversations/items/schema.ts'
import type { Tell } from '../stream/event.ts'
import type { NamespacedName } from '../tools/namespaces.ts'
import { CallDraft, type CallKind } from './call-draft.ts'
import { MessageDraft } from './message-draft.ts'
import { RequestDraft } from './request-draft.ts'

interface TurnOptions {
  number: number
  /** Items that are there already. */
  firstIndex: number
  kindOf(name: string): CallKind
  /** Undefined: a function that is in no namespace. */
  namespacedOf(name: string): NamespacedName | undefined
  /** Where a tool of an MCP server is; undefined: it is none. */
  mcpOf(name: string): McpCalls['place'] | undefined
  sources: CitationSources
  containerId: string
  /** How many calls of our own tools may still be made. */
  hostedCalls: number
}

type Draft = MessageDraft | AnyCallDraft
type AnyCallDraft = CallDraft | RequestDraft

export class ResponseTurn {
  readonly #making: Making
  readonly #tell: Tell
  readonly #options: TurnOptions
  readonly #drafts: Draft[] = []
  /** By the model's own numbers; undefined: a call that is not made any more. */
  readonly #calls = new Map<number, AnyCallDraft | undefined>()
  readonly #ended = new Map<Draft, KeptItem>()
  #message: MessageDraft | undefined
  #hosted = 0

  constructor(making: Making, tell: Tell, options: TurnOptions) {
    this.#making = making
    this.#tell = tell
    this.#options = options
  }

  add({ delta, logprobs }: ChoiceDelta): void {
    const tokens = logprobs?.content ?? []
    if (delta.content) this.#speaking().text(delta.content, tokens)
    if (delta.refusal) this.#speaking().refuse(delta.refusal)
    for (const piece of delta.tool_calls ?? []) this.#call(piece)
  }

  /** All items of the answer, in their order. `isCut`: it was broken off. */
  end(isCut: boolean): KeptItem[] {
    if (this.#drafts.length === 0) this.#speaking()
    const last = this.#drafts.at(-1)
    return this.#drafts.map((draft) => this.#end(draft, isCut && draft === last ? 'incomplete' : 'completed'))
  }

  #speaking(): MessageDraft {
    if (this.#message === undefined) {
      this.#endWhole()
      const place = this.#place('message')
      this.#message = new MessageDraft(place, this.#tell, this.#options.sources, this.#options.containerId)
      this.#drafts.push(this.#message)
    }
    return this.#message
  }

  #call({ index, function: piece = {} }: ToolCallDelta): void {
    if (!this.#calls.has(index)) this.#calls.set(index, this.#openCall(piece.name ?? ''))
    this.#calls.get(index)?.add(piece.arguments ?? '')
  }

  #openCall(name: string): AnyCallDraft | undefined {
    const { number, kindOf, namespacedOf, mcpOf, containerId, hostedCalls } = this.#options
    const kind = kindOf(name)
    const mcp = mcpOf(name)
    if (mcp?.isApproved === false) return this.#openRequest(mcp)
    if (kind !== 'function' && this.#hosted++ >= hostedCalls) return undefined
    this.#endWhole()
    const callId = this.#making.ids.next('call_')
    const type = kind === 'function' ? 'function_call' : (`${kind}_call` as const)
    const named = namespacedOf(name)
    const place = { ...this.#place(type), callId, turn: number, containerId, mcp, namespace: named?.namespace }
    const draft = new CallDraft(place, kind, named?.name ?? name, this.#tell)
    this.#drafts.push(draft)
    return draft
  }

  #openRequest(mcp: McpCalls['place']): RequestDraft {
    this.#endWhole()
    const draft = new RequestDraft(this.#place('mcp_approval_request'), mcp, this.#tell)
    this.#drafts.push(draft)
    return draft
  }

  #place(type: Item['type']): { id: string; outputIndex: number } {
    return { id: newItemId(this.#making, type), outputIndex: this.#options.firstIndex + this.#drafts.length }
  }

  /** What went before the next item is told to be done, unless a piece of it may still come. */
  #endWhole(): void {
    if (this.#message !== undefined) this.#end(this.#message, 'completed')
    this.#message = undefined
    for (const call of this.#calls.values()) if (call?.isWhole) this.#end(call, 'completed')
  }

  #end(draft: Draft, status: 'completed' | 'incomplete'): KeptItem {
    const ended = this.#ended.get(draft)
    if (ended !== undefined) return ended
    const kept = draft instanceof MessageDraft ? { item: draft.end(status) } : draft.end(status)
    this.#ended.set(draft, kept)
    return kept
  }
}

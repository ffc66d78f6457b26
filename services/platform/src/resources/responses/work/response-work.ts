// The work on one response, as the loop of model and tools sees it.
import type { Making } from '@atoll/kernel/ids/new-object'
import type { ChatMessage, ChoiceDelta, ToolCall, ToolChoice } from '@atoll/models/chat'
import type { ProjectCaller } from '../../../callers.ts'
import { type Answered, Spent } from '../../../tool-loop/ask-model.ts'
import type { OwnMessage } from '../../../tool-loop/conversation.ts'
import type { LoopTools } from '../../../tool-loop/loop-tools.ts'
import { Prompt } from '../../../tool-loop/prompt.ts'
import type { CallContext, CallOutcome, LoopRecord } from '../../../tool-loop/record.ts'
import type { CitationSources } from '../../../tool-loop/tools/citations.ts'
import type { HostedTool } from '../../../tool-loop/tools/hosted-tool.ts'
import { McpCalls } from '../../../tool-loop/tools/mcp.ts'
import type { ApprovalRequest } from '../../conversations/items/approvals.ts'
import { approvedTurn, type ItemWork, type KeptItem, newItemId } from '../../conversations/items/kept-item.ts'
import type { ResponseSettings } from '../settings.ts'
import { askedOf } from '../settings.ts'
import { counted, type Progress, shownItem } from '../state.ts'
import type { DeclaredTools } from '../tools/declared-tools.ts'
import { listOf, type McpOffer } from '../tools/mcp/offer.ts'
import { hostedItem, madeItem, mcpItem } from './hosted-item.ts'
import type { EndStatus, Journal } from './journal.ts'
import { ownMessages } from './own-messages.ts'
import { ResponseTurn } from './turn.ts'

export interface WorkInput {
  responseId: string
  caller: ProjectCaller
  settings: ResponseSettings
  /** All that was said before, as the model reads it. */
  thread: ChatMessage[]
  declared: DeclaredTools
  contextLength(): number | undefined
}

interface Begun {
  progress: Progress
  output: KeptItem[]
}

/** What readers know of items already. */
interface ToldItems {
  items: number
  places: ReadonlyMap<string, number>
}

const nothingTold: ToldItems = { items: 0, places: new Map() }

export class ResponseWork implements LoopRecord {
  readonly #making: Making
  readonly #input: WorkInput
  readonly #journal: Journal
  #declared: DeclaredTools
  #progress: Progress
  #output: KeptItem[]
  /** How many were told so far, those of an attempt that was broken off included. */
  #told: number
  /** `output_index` by the item's id. */
  readonly #places: Map<string, number>
  #turn: ResponseTurn | undefined
  #spent = new Spent()

  constructor(making: Making, input: WorkInput, journal: Journal, begun: Begun, told: ToldItems = nothingTold) {
    this.#making = making
    this.#input = input
    this.#journal = journal
    this.#declared = input.declared
    this.#progress = begun.progress
    this.#output = [...begun.output]
    this.#told = told.items
    this.#places = new Map(told.places)
  }

  get output(): readonly KeptItem[] {
    return this.#output
  }

  get progress(): Progress {
    return this.#progress
  }

  get turns(): number {
    return this.#progress.turns
  }

  get spent(): Spent {
    return this.#spent
  }

  /** A search for what the user has asked, before the model is. */
  async beginWithSearch(name: string, query: string): Promise<void> {
    const id = newItemId(this.#making, 'file_search_call')
    const callId = this.#making.ids.next('call_')
    const work: ItemWork = { turn: 0, callId, name, arguments: JSON.stringify({ query }) }
    await this.#beginCall({ item: hostedItem('file_search', id, ''), work })
  }

  /** From now on these tools are offered. */
  offer(declared: DeclaredTools): void {
    this.#declared = declared
  }

  /** Asks an MCP server what it can do. */
  async listTools(offer: McpOffer, signal: AbortSignal): Promise<void> {
    const id = newItemId(this.#making, 'mcp_list_tools')
    const empty = { id, type: 'mcp_list_tools' as const, server_label: offer.label, tools: [], error: null }
    this.#tellBegun(empty)
    const at = { item_id: id, output_index: this.#told }
    const tools = await listOf(offer, signal).catch((error: unknown) => {
      this.#journal.tell({ type: 'response.mcp_list_tools.failed', ...at })
      throw error
    })
    const item = { ...empty, tools }
    this.#journal.tell({ type: 'response.mcp_list_tools.completed', ...at })
    this.#journal.tell({ type: 'response.output_item.done', output_index: this.#told, item })
    await this.#add([{ item }])
  }

  /** Calls that wait for nothing but their turn; those of an earlier attempt are there already. */
  async beginApproved(requests: readonly ApprovalRequest[]): Promise<void> {
    for (const { id: approval_request_id, server_label, name: tool, arguments: args } of requests) {
      const isBegun = ({ item }: KeptItem): boolean =>
        item.type === 'mcp_call' && item.approval_request_id === approval_request_id
      if (this.#output.some(isBegun)) continue
      const id = newItemId(this.#making, 'mcp_call')
      const named = this.#declared.tools.mcpTool({ label: server_label, tool })
      const name = named?.definition.name ?? tool
      const work = { turn: approvedTurn, callId: this.#making.ids.next('call_'), name, arguments: args }
      const place = { label: server_label, tool }
      await this.#beginCall({ item: { ...mcpItem(id, place, args), approval_request_id }, work })
    }
  }

  openCalls(): ToolCall[] {
    return this.#output.flatMap(({ work }) => (work === undefined || work.output !== undefined ? [] : [callOf(work)]))
  }

  callContext(call: ToolCall): CallContext {
    const { responseId, caller } = this.#input
    const declared = this.#declared
    const { item } = this.#called(call)
    const at = this.#at(item.id)
    if (item.type === 'file_search_call') this.#journal.tell({ type: 'response.file_search_call.searching', ...at })
    if (item.type === 'image_generation_call') {
      this.#journal.tell({ type: 'response.image_generation_call.generating', ...at })
    }
    let isTold = false
    return {
      // A session for code is the container's, within its project.
      ...{ runId: responseId, threadId: declared.containerId, assistantId: caller.projectId },
      assistantResources: declared.resources,
      threadResources: {},
      filter: declared.filter,
      found: this.#sources().passages,
      progress: (now) => {
        if (now.type !== 'code_interpreter' || isTold) return
        isTold = true
        const code = now.code_interpreter.input
        this.#journal.tell({ type: 'response.code_interpreter_call_code.delta', ...at, delta: code })
        this.#journal.tell({ type: 'response.code_interpreter_call_code.done', ...at, code })
        this.#journal.tell({ type: 'response.code_interpreter_call.interpreting', ...at })
      },
    }
  }

  async writeResult(call: ToolCall, outcome: CallOutcome): Promise<void> {
    const kept = this.#called(call)
    const { output, passages, files } = outcome
    const made: KeptItem = {
      item: madeItem(kept, outcome),
      work: { ...(kept.work as ItemWork), output, passages, files },
    }
    this.#output = this.#output.map((one) => (one === kept ? made : one))
    const { item } = made
    const { output_index } = this.#at(item.id)
    const end = item.type === 'mcp_call' && item.status === 'failed' ? 'failed' : 'completed'
    this.#journal.tell({ type: `response.${item.type}.${end}`, item_id: item.id, output_index })
    const shown = shownItem(item, this.#input.settings.include)
    this.#journal.tell({ type: 'response.output_item.done', output_index, item: shown })
    await this.#journal.write({ progress: this.#progress, changed: [made], keepIn: outcome.keepIn })
  }

  async leaveToCaller(): Promise<boolean> {
    if (!this.#output.some(({ item }) => isLeftToCaller(item))) return false
    await this.#end('completed')
    return true
  }

  async nextPrompt(): Promise<Prompt | undefined> {
    const { settings, thread, contextLength } = this.#input
    const declared = this.#declared
    this.#turn = undefined
    this.#spent = new Spent()
    const left = this.#tokensLeft()
    if (left !== undefined && left <= 0)
      return void (await this.#end('incomplete', { incomplete: 'max_output_tokens' }))
    const tools = this.#tools()
    const toolChoice = tools.choice(declared.choice, this.#isChoiceFulfilled())
    this.#turn = new ResponseTurn(this.#making, this.#journal.tell, {
      number: this.turns + 1,
      firstIndex: this.#told,
      // Also of those that are not offered any more: a call of one is passed over.
      kindOf: (name) => declared.tools.kindOf(name),
      namespacedOf: (name) => declared.namespaced.get(name),
      mcpOf: (name) => mcpPlace(declared.tools.hosted(name)?.hosted),
      sources: settings.text.format.type === 'text' ? this.#sources() : noSources,
      containerId: declared.containerId,
      hostedCalls: this.#hostedCallsLeft(),
    })
    return new Prompt(this.#conversation(thread), {
      asked: this.#asked(tools, toolChoice),
      cuts: settings.truncation === 'auto' ? 'thread' : 'nothing',
      promptTokens: undefined,
      completionTokens: left,
      contextLength: contextLength(),
    })
  }

  async add(piece: ChoiceDelta): Promise<void> {
    this.#turn?.add(piece)
    await this.#journal.pace()
  }

  async closeTurn(answer: Answered): Promise<boolean> {
    const isCut = answer.finish === 'length' || answer.finish === 'content_filter'
    const items = this.#turn?.end(isCut) ?? []
    this.#progress = counted(this.#progress, answer)
    if (isCut) {
      const incomplete = answer.finish === 'length' ? 'max_output_tokens' : 'content_filter'
      await this.#end('incomplete', { incomplete }, this.#withoutCalls(items))
      return true
    }
    if (items.some(({ work }) => work !== undefined)) {
      await this.#add(items)
      return false
    }
    await this.#end('completed', {}, items)
    return true
  }

  /** Whatever the reason: what was written so far stays. */
  async endEarly(status: EndStatus, change: Partial<Progress> = {}): Promise<void> {
    const items = this.#turn === undefined || this.#spent.completionTokens === 0 ? [] : this.#turn.end(true)
    if (this.#spent.model !== undefined) this.#progress = counted(this.#progress, this.#spent)
    await this.#end(status, change, this.#withoutCalls(items))
  }

  /** Calls of an answer that was cut off are not made. */
  #withoutCalls(items: readonly KeptItem[]): KeptItem[] {
    return items.map((kept, index): KeptItem => {
      if (kept.work === undefined) return kept
      const item = { ...kept.item, status: 'incomplete' } as KeptItem['item']
      this.#journal.tell({ type: 'response.output_item.done', output_index: this.#told + index, item })
      return { item }
    })
  }

  #tellBegun(item: KeptItem['item']): void {
    const output_index = this.#told
    this.#journal.tell({ type: 'response.output_item.added', output_index, item })
    this.#journal.tell({ type: `response.${item.type}.in_progress`, item_id: item.id, output_index })
  }

  /** It is open until it has been made. */
  async #beginCall(kept: KeptItem): Promise<void> {
    this.#tellBegun(kept.item)
    await this.#add([kept])
  }

  async #add(added: readonly KeptItem[]): Promise<void> {
    for (const kept of added) this.#places.set(kept.item.id, this.#told++)
    this.#output.push(...added)
    await this.#journal.write({ progress: this.#progress, added })
  }

  async #end(status: EndStatus, change: Partial<Progress> = {}, added: readonly KeptItem[] = []): Promise<void> {
    this.#output.push(...added)
    this.#progress = { ...this.#progress, ...change }
    await this.#journal.end(status, { progress: this.#progress, added })
  }

  #called({ id }: ToolCall): KeptItem {
    const kept = this.#output.find(({ work }) => work?.callId === id)
    if (kept === undefined) throw new Error('A call belongs to no item.')
    return kept
  }

  #at(itemId: string) {
    return { item_id: itemId, output_index: this.#places.get(itemId) }
  }

  #sources(): CitationSources {
    const works = this.#output.flatMap(({ work }) => work ?? [])
    return { passages: works.flatMap(({ passages = [] }) => passages), files: works.flatMap(({ files = [] }) => files) }
  }

  #conversation(thread: ChatMessage[]): { instructions: string; thread: ChatMessage[]; own: OwnMessage[] } {
    return { instructions: this.#input.settings.instructions ?? '', thread, own: ownMessages(this.#output) }
  }

  #asked(tools: LoopTools, toolChoice: ToolChoice) {
    const { settings } = this.#input
    const parallelToolCalls = settings.parallel_tool_calls && typeof toolChoice === 'string'
    return { ...askedOf(settings), tools: tools.definitions(), toolChoice, parallelToolCalls }
  }

  #tokensLeft(): number | undefined {
    const { max_output_tokens: max } = this.#input.settings
    return max === null ? undefined : max - this.#progress.outputTokens
  }

  #hostedCallsLeft(): number {
    const made = this.#output.filter(({ work }) => work !== undefined).length
    return (this.#input.settings.max_tool_calls ?? Number.POSITIVE_INFINITY) - made
  }

  #tools(): LoopTools {
    const { tools } = this.#declared
    return this.#hostedCallsLeft() > 0 ? tools : tools.withoutHosted()
  }

  /** The model has made its calls, or the search that the work began with was all it could do. */
  #isChoiceFulfilled(): boolean {
    if (this.turns > 0) return true
    const { choice, tools } = this.#declared
    if (!this.#output.some(({ work }) => work?.turn === 0)) return false
    if (typeof choice === 'object') return choice.type === 'file_search'
    return tools.definitions().every(({ name }) => tools.kindOf(name) === 'file_search')
  }
}

/** The work goes on when the caller has called a function, or approved a call. */
const isLeftToCaller = ({ type }: KeptItem['item']): boolean =>
  type === 'function_call' || type === 'mcp_approval_request'

const mcpPlace = (hosted: HostedTool | undefined): McpCalls['place'] | undefined =>
  hosted instanceof McpCalls ? hosted.place : undefined

const noSources: CitationSources = { passages: [], files: [] }

const callOf = ({ callId, name, arguments: args }: ItemWork): ToolCall => ({
  id: callId,
  type: 'function',
  function: { name, arguments: args },
})

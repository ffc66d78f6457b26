// A call while the model writes it: of a function, shown as it is written; of a tool of ours, shown as what it is.
import type { HostedTool } from '../../../tool-loop/tools/hosted-tool.ts'
import type { McpCalls } from '../../../tool-loop/tools/mcp.ts'
import type { KeptItem } from '../../conversations/items/kept-item.ts'
import type { Item } from '../../conversations/items/schema.ts'
import type { Tell } from '../stream/event.ts'
import { hostedItem, mcpItem } from './hosted-item.ts'

interface Place {
  id: string
  outputIndex: number
  callId: string
  turn: number
  containerId: string
  /** Of a tool of an MCP server. */
  mcp: McpCalls['place'] | undefined
  /** Of a function. */
  namespace: string | undefined
}

export type CallKind = 'function' | HostedTool['type']

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

export class CallDraft {
  readonly outputIndex: number
  readonly #place: Place
  readonly #kind: CallKind
  readonly #name: string
  readonly #tell: Tell
  #text = ''
  #kept: KeptItem | undefined

  constructor(place: Place, kind: CallKind, name: string, tell: Tell) {
    this.outputIndex = place.outputIndex
    this.#place = place
    this.#kind = kind
    this.#name = name
    this.#tell = tell
    tell({ type: 'response.output_item.added', output_index: place.outputIndex, item: this.#item('in_progress') })
    if (kind !== 'function') tell({ type: `response.${kind}_call.in_progress`, ...this.#at() })
  }

  add(text: string): void {
    if (text === '') return
    this.#text += text
    if (this.#kind !== 'function' && this.#kind !== 'mcp') return
    this.#tell({ type: `response.${this.#kind}_call_arguments.delta`, ...this.#at(), delta: text })
  }

  /** Its arguments are a whole value: what follows belongs to the next call. */
  get isWhole(): boolean {
    return isJson(this.#text)
  }

  /** A call of ours is open until it has been made. */
  end(status: 'completed' | 'incomplete'): KeptItem {
    if (this.#kept !== undefined) return this.#kept
    const { callId, turn } = this.#place
    if (this.#kind === 'mcp') {
      this.#tell({ type: 'response.mcp_call_arguments.done', ...this.#at(), arguments: this.#text })
    }
    if (this.#kind !== 'function') {
      this.#kept = {
        item: this.#item('in_progress'),
        work: { turn, callId, name: this.#name, arguments: this.#text },
      }
      return this.#kept
    }
    const item = this.#item(status)
    this.#kept = { item }
    const done = { ...this.#at(), name: this.#name, arguments: this.#text }
    this.#tell({ type: 'response.function_call_arguments.done', ...done })
    this.#tell({ type: 'response.output_item.done', output_index: this.#place.outputIndex, item })
    return this.#kept
  }

  #at() {
    return { item_id: this.#place.id, output_index: this.#place.outputIndex }
  }

  #item(status: 'in_progress' | 'completed' | 'incomplete'): Item {
    const { id, callId, containerId, mcp, namespace } = this.#place
    if (this.#kind === 'mcp') return mcpItem(id, mcp ?? { label: '', tool: this.#name }, this.#text)
    if (this.#kind !== 'function') return hostedItem(this.#kind, id, containerId)
    const named = { name: this.#name, ...(namespace === undefined ? {} : { namespace }) }
    return { id, type: 'function_call', status, arguments: this.#text, call_id: callId, ...named }
  }
}

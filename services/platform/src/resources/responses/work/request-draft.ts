// A call that may not be made before the caller has approved it, while the model writes it.
import type { McpCalls } from '../../../tool-loop/tools/mcp.ts'
import type { KeptItem } from '../../conversations/items/kept-item.ts'
import type { Item } from '../../conversations/items/schema.ts'
import type { Tell } from '../stream/event.ts'
import { isJson } from './call-draft.ts'

interface Place {
  id: string
  outputIndex: number
}

export class RequestDraft {
  readonly #place: Place
  readonly #mcp: McpCalls['place']
  readonly #tell: Tell
  #text = ''

  constructor(place: Place, mcp: McpCalls['place'], tell: Tell) {
    this.#place = place
    this.#mcp = mcp
    this.#tell = tell
    tell({ type: 'response.output_item.added', output_index: place.outputIndex, item: this.#item() })
  }

  add(text: string): void {
    this.#text += text
  }

  get isWhole(): boolean {
    return isJson(this.#text)
  }

  end(): KeptItem {
    const item = this.#item()
    this.#tell({ type: 'response.output_item.done', output_index: this.#place.outputIndex, item })
    return { item }
  }

  #item(): Extract<Item, { type: 'mcp_approval_request' }> {
    const { label, tool } = this.#mcp
    return { id: this.#place.id, type: 'mcp_approval_request', server_label: label, name: tool, arguments: this.#text }
  }
}

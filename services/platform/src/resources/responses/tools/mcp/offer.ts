// One MCP server in a response: its tools, listed once for a conversation, as the loop takes them.
import type { FunctionTool } from '@atoll/models/chat'
import { responseErrors } from '../../../../errors/responses.ts'
import type { Hosted } from '../../../../tool-loop/loop-tools.ts'
import type { ListedTool, McpClient } from '../../../../tool-loop/mcp/client.ts'
import { McpProblem } from '../../../../tool-loop/mcp/problem.ts'
import { McpCalls } from '../../../../tool-loop/tools/mcp.ts'
import type { KeptItem } from '../../../conversations/items/kept-item.ts'
import type { Item } from '../../../conversations/items/schema.ts'
import { isAllowed, needsApproval } from './filter.ts'
import type { McpTool } from './schema.ts'

export type ListItem = Extract<Item, { type: 'mcp_list_tools' }>

interface Parts {
  client: McpClient
  tool: McpTool
  /** As the conversation has them already. */
  known: ListItem['tools'] | undefined
  /** Undefined: all; by `tool_choice`. */
  chosen: readonly string[] | undefined
}

export class McpOffer {
  readonly #client: McpClient
  readonly #tool: McpTool
  readonly #chosen: readonly string[] | undefined
  #listed: ListItem['tools'] | undefined

  constructor({ client, tool, known, chosen }: Parts) {
    this.#client = client
    this.#tool = tool
    this.#listed = known
    this.#chosen = chosen
  }

  get label(): string {
    return this.#tool.server_label
  }

  get isListed(): boolean {
    return this.#listed !== undefined
  }

  /** Asks the server; those that may be called. */
  async list(signal: AbortSignal): Promise<ListItem['tools']> {
    const tools = await this.#client.listTools(signal)
    const allowed = tools.filter((tool) => isAllowed(this.#tool.allowed_tools, tool))
    this.#listed = allowed.map(({ name, description, inputSchema, annotations }) => ({
      ...{ name, description: description ?? null, input_schema: inputSchema, annotations: annotations ?? null },
    }))
    return this.#listed
  }

  /** As functions, by names that no other tool has. */
  hosted(taken: Set<string>): Hosted[] {
    return (this.#listed ?? []).flatMap((listed): Hosted[] => {
      const { name, description } = listed
      const described = { name, annotations: listed.annotations as ListedTool['annotations'] }
      // The list may be an earlier one's.
      if (!isAllowed(this.#tool.allowed_tools, described)) return []
      if (this.#chosen !== undefined && !this.#chosen.includes(name)) return []
      const called = freeName(this.label, name, taken)
      const definition: FunctionTool = {
        name: called,
        ...(description == null ? {} : { description }),
        parameters: listed.input_schema as Record<string, unknown>,
      }
      const isApproved = !needsApproval(this.#tool.require_approval, described)
      const hosted = new McpCalls(this.#client, { label: this.label, tool: name, isApproved, definition })
      return [{ hosted, tool: undefined, definition }]
    })
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}

/** The last list of this server that the conversation has. */
export function knownTools(history: readonly KeptItem[], label: string): ListItem['tools'] | undefined {
  const found = history.findLast(
    ({ item }) => item.type === 'mcp_list_tools' && item.server_label === label && item.error == null,
  )
  return found?.item.type === 'mcp_list_tools' ? found.item.tools : undefined
}

const maxNameLetters = 64
const inFunctionName = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, maxNameLetters)

function freeName(label: string, name: string, taken: Set<string>): string {
  let free = inFunctionName(name)
  if (taken.has(free)) free = inFunctionName(`${label}_${name}`)
  const stem = free.slice(0, maxNameLetters - 4)
  for (let number = 2; taken.has(free); number++) free = `${stem}_${number}`
  taken.add(free)
  return free
}

/** What goes wrong with it in the words of this interface. */
export async function listOf(offer: McpOffer, signal: AbortSignal): Promise<ListItem['tools']> {
  try {
    return await offer.list(signal)
  } catch (error) {
    if (error instanceof McpProblem) throw responseErrors.mcpListFailed(offer.label, error.message)
    throw error
  }
}

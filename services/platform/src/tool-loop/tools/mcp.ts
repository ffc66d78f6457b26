// A tool of an MCP server: what the model calls is called there.
import type { FunctionTool } from '@atoll/models/chat'
import type { McpClient } from '../mcp/client.ts'
import type { McpCallError } from '../mcp/problem.ts'
import type { HostedTool, ToolContext, ToolOutcome } from './hosted-tool.ts'

/** What is kept of an output. */
const maxOutputLetters = 1024 * 1024
const lettersPerToken = 3
const cutMark = '\n[cut: there is no room for the rest]'

interface McpToolPlace {
  label: string
  /** As the server knows it. */
  tool: string
  /** Calls need not wait for the caller's word. */
  isApproved: boolean
  definition: FunctionTool
}

export class McpCalls implements HostedTool {
  readonly type = 'mcp'
  readonly place: McpToolPlace
  readonly #client: McpClient

  constructor(client: McpClient, place: McpToolPlace) {
    this.#client = client
    this.place = place
  }

  async definition(): Promise<FunctionTool> {
    return this.place.definition
  }

  async call({ callId, signal, outputTokens }: ToolContext, args: string): Promise<ToolOutcome> {
    const given = argumentsOf(args)
    const outcome = given === undefined ? notJson : await this.#client.callTool(this.place.tool, given, signal)
    const output = outcome.output === null ? null : cutTo(outcome.output, maxOutputLetters)
    const read = output ?? `The call has failed. ${errorWords(outcome.error)}`
    return {
      call: { id: callId, type: 'mcp', mcp: { output, error: outcome.error } },
      output: cutTo(read, outputTokens * lettersPerToken),
      ...{ passages: [], files: [], keepIn: async () => undefined },
    }
  }
}

const invalidParams = -32602
const notJson = {
  output: null,
  error: { type: 'mcp_protocol_error' as const, code: invalidParams, message: 'The arguments are no JSON object.' },
}

function argumentsOf(args: string): object | undefined {
  try {
    const given: unknown = JSON.parse(args.trim() === '' ? '{}' : args)
    return typeof given === 'object' && given !== null && !Array.isArray(given) ? given : undefined
  } catch {
    return undefined
  }
}

function errorWords(error: McpCallError | null): string {
  if (error === null) return ''
  return error.type === 'mcp_tool_execution_error' ? JSON.stringify(error.content) : error.message
}

const cutTo = (text: string, letters: number): string =>
  text.length <= letters ? text : text.slice(0, Math.max(0, letters - cutMark.length)).toWellFormed() + cutMark

// One conversation with an MCP server: greeted when it is first needed, then asked for its tools and called.
import { z } from 'zod'
import { type McpCallError, McpProblem, mcpProblems } from './problem.ts'
import type { McpTransport } from './transport.ts'

const spokenVersion = '2025-06-18'
const maxTools = 256
const maxPages = 32
const maxNameLetters = 128

const Greeting = z.object({ protocolVersion: z.string().max(64) })

const ListedTool = z.object({
  name: z.string().min(1).max(maxNameLetters),
  description: z.string().max(16_384).nullish(),
  inputSchema: z.record(z.string(), z.unknown()),
  annotations: z.looseObject({ readOnlyHint: z.boolean().optional() }).nullish(),
})
export type ListedTool = z.output<typeof ListedTool>

const ToolPage = z.object({ tools: z.array(ListedTool), nextCursor: z.string().max(65_536).nullish() })

const CallResult = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
})

export interface McpOutcome {
  output: string | null
  error: McpCallError | null
}

interface Limits {
  connectSeconds: number
  callSeconds: number
}

export class McpClient {
  readonly #connect: () => McpTransport
  readonly #limits: Limits
  #transport: McpTransport | undefined
  #greeted: Promise<void> | undefined
  #nextId = 1

  constructor(connect: () => McpTransport, limits: Limits) {
    this.#connect = connect
    this.#limits = limits
  }

  async listTools(signal: AbortSignal): Promise<ListedTool[]> {
    const tools: ListedTool[] = []
    let cursor: string | undefined
    for (let page = 0; page < maxPages; page++) {
      const params = cursor === undefined ? {} : { cursor }
      const found = read(ToolPage, await this.#ask('tools/list', params, this.#limits.connectSeconds, signal))
      tools.push(...found.tools)
      if (tools.length > maxTools) throw mcpProblems.tooManyTools(maxTools)
      if (found.nextCursor == null) return tools
      cursor = found.nextCursor
    }
    throw mcpProblems.tooManyTools(maxTools)
  }

  /** What the tool itself, or the way to it, does wrong is part of the outcome. */
  async callTool(name: string, args: object, signal: AbortSignal): Promise<McpOutcome> {
    try {
      const result = await this.#ask('tools/call', { name, arguments: args }, this.#limits.callSeconds, signal)
      const { content, structuredContent, isError } = read(CallResult, result)
      if (isError === true) return { output: null, error: { type: 'mcp_tool_execution_error', content } }
      const texts = content.map((part) => part.text ?? `[${part.type}]`)
      const isData = content.length === 0 && structuredContent !== undefined
      return { output: isData ? JSON.stringify(structuredContent) : texts.join('\n'), error: null }
    } catch (error) {
      if (!(error instanceof McpProblem)) throw error
      return { output: null, error: error.shown }
    }
  }

  async close(): Promise<void> {
    await this.#transport?.close()
  }

  async #ask(method: string, params: object, seconds: number, signal: AbortSignal): Promise<unknown> {
    const transport = this.#transport ?? this.#connect()
    this.#transport = transport
    this.#greeted ??= this.#greet(transport, signal)
    await this.#greeted.catch((error: unknown) => {
      // The next one tries again.
      this.#greeted = undefined
      throw error
    })
    return this.#within(seconds, signal, (limited) =>
      transport.ask({ jsonrpc: '2.0', id: this.#nextId++, method, params }, limited),
    )
  }

  async #greet(transport: McpTransport, signal: AbortSignal): Promise<void> {
    const params = { protocolVersion: spokenVersion, capabilities: {}, clientInfo: { name: 'atoll', version: '1' } }
    await this.#within(this.#limits.connectSeconds, signal, async (limited) => {
      const hello = { jsonrpc: '2.0' as const, id: this.#nextId++, method: 'initialize', params }
      transport.agreeOn(read(Greeting, await transport.ask(hello, limited)).protocolVersion)
      await transport.tell({ jsonrpc: '2.0', method: 'notifications/initialized' }, limited)
    })
  }

  async #within<Result>(
    seconds: number,
    signal: AbortSignal,
    work: (limited: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const timeout = AbortSignal.timeout(seconds * 1000)
    try {
      return await work(AbortSignal.any([signal, timeout]))
    } catch (error) {
      signal.throwIfAborted()
      throw timeout.aborted ? mcpProblems.tooSlow(seconds) : error
    }
  }
}

function read<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value)
  if (!success) throw mcpProblems.nonsense(error)
  return data
}

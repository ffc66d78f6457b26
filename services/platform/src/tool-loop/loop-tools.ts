// The tools of one run or response, as the model sees them: functions of the caller's, and tools of ours.
import type { FunctionTool, ToolChoice } from '@atoll/models/chat'
import type { AssistantTool } from '../resources/assistants/schema.ts'
import type { DefinitionContext, HostedTool } from './tools/hosted-tool.ts'
import { ToolFailure } from './tools/hosted-tool.ts'
import { McpCalls } from './tools/mcp.ts'

export interface Hosted {
  hosted: HostedTool
  tool: AssistantTool | undefined
  definition: FunctionTool
}

/** Which tool is to be called, in the words of runs; of responses, after their own are translated. */
export type DeclaredChoice =
  | 'none'
  | 'auto'
  | 'required'
  | { type: 'function'; function: { name: string } }
  | { type: Exclude<HostedTool['type'], 'mcp'> }
  | { type: 'mcp'; label: string; tool: string }

export class LoopTools {
  readonly #functions: readonly FunctionTool[]
  readonly #hosted: readonly Hosted[]

  constructor(functions: readonly FunctionTool[], hosted: readonly Hosted[]) {
    this.#functions = functions
    this.#hosted = hosted
  }

  static async of(
    tools: readonly AssistantTool[],
    available: readonly HostedTool[],
    context: Omit<DefinitionContext, 'tool'>,
  ): Promise<LoopTools> {
    const functions = tools.flatMap((tool) => (tool.type === 'function' ? [tool.function] : []))
    const hosted: Hosted[] = []
    for (const tool of tools) {
      if (tool.type === 'function') continue
      const found = available.find(({ type }) => type === tool.type)
      if (found === undefined) throw new ToolFailure(`The tool ${tool.type} is not available on this server.`)
      hosted.push({ hosted: found, tool, definition: await found.definition({ ...context, tool }) })
    }
    return new LoopTools(functions, hosted)
  }

  with(hosted: readonly Hosted[]): LoopTools {
    return new LoopTools(this.#functions, [...this.#hosted, ...hosted])
  }

  withoutHosted(): LoopTools {
    return new LoopTools(this.#functions, [])
  }

  definitions(): FunctionTool[] {
    return [...this.#hosted.map(({ definition }) => definition), ...this.#functions]
  }

  /** A name that no tool has is told to the model as a function's would be. */
  kindOf(name: string): 'function' | HostedTool['type'] {
    return this.hosted(name)?.hosted.type ?? 'function'
  }

  hosted(name: string): Hosted | undefined {
    return this.#hosted.find(({ definition }) => definition.name === name)
  }

  hostedOf(type: HostedTool['type']): Hosted | undefined {
    return this.#hosted.find(({ hosted }) => hosted.type === type)
  }

  mcpTool({ label, tool }: { label: string; tool: string }): Hosted | undefined {
    return this.#hosted.find(
      ({ hosted }) => hosted instanceof McpCalls && hosted.place.label === label && hosted.place.tool === tool,
    )
  }

  hasFunction(name: string): boolean {
    return this.#functions.some((one) => one.name === name)
  }

  /** A tool that must be called must be called once: afterwards the model is free. */
  choice(declared: DeclaredChoice, isFulfilled: boolean): ToolChoice {
    if (this.#hosted.length + this.#functions.length === 0 || declared === 'none') return 'none'
    if (isFulfilled || declared === 'auto') return 'auto'
    if (declared === 'required') return declared
    if (declared.type === 'function') return { name: declared.function.name }
    const named = declared.type === 'mcp' ? this.mcpTool(declared) : this.hostedOf(declared.type)
    return named === undefined ? 'auto' : { name: named.definition.name }
  }
}

// The tools of one run, as the model sees them.
import type { FunctionTool, ToolChoice } from '@atoll/models/chat'
import type { AssistantTool } from '../../../assistants/schema.ts'
import type { RunSettings } from '../present.ts'
import type { DefinitionContext, HostedTool } from '../tools/hosted-tool.ts'
import { ToolFailure } from '../tools/hosted-tool.ts'
import type { CallKind } from './call-drafts.ts'

interface Hosted {
  hosted: HostedTool
  tool: AssistantTool
  definition: FunctionTool
}

export class RunTools {
  readonly #functions: FunctionTool[]
  readonly #hosted: Hosted[]

  private constructor(functions: FunctionTool[], hosted: Hosted[]) {
    this.#functions = functions
    this.#hosted = hosted
  }

  static async of(
    tools: readonly AssistantTool[],
    available: readonly HostedTool[],
    context: Omit<DefinitionContext, 'tool'>,
  ): Promise<RunTools> {
    const functions = tools.flatMap((tool) => (tool.type === 'function' ? [tool.function] : []))
    const hosted: Hosted[] = []
    for (const tool of tools) {
      if (tool.type === 'function') continue
      const found = available.find(({ type }) => type === tool.type)
      if (found === undefined) throw new ToolFailure(`The tool ${tool.type} is not available on this server.`)
      hosted.push({ hosted: found, tool, definition: await found.definition({ ...context, tool }) })
    }
    return new RunTools(functions, hosted)
  }

  definitions(): FunctionTool[] {
    return [...this.#hosted.map(({ definition }) => definition), ...this.#functions]
  }

  /** A name that no tool has is told to the model as a function's would be. */
  kindOf(name: string): CallKind {
    return this.hosted(name)?.hosted.type ?? 'function'
  }

  hosted(name: string): Hosted | undefined {
    return this.#hosted.find(({ definition }) => definition.name === name)
  }

  hostedOf(type: HostedTool['type']): Hosted | undefined {
    return this.#hosted.find(({ hosted }) => hosted.type === type)
  }

  hasFunction(name: string): boolean {
    return this.#functions.some((one) => one.name === name)
  }

  /** A tool that must be called must be called once: afterwards the model is free. */
  choice({ tool_choice }: Pick<RunSettings, 'tool_choice'>, isFulfilled: boolean): ToolChoice {
    if (this.#hosted.length + this.#functions.length === 0 || tool_choice === 'none') return 'none'
    if (isFulfilled || tool_choice === 'auto') return 'auto'
    if (tool_choice === 'required') return tool_choice
    if (tool_choice.type === 'function') return { name: tool_choice.function.name }
    const named = this.hostedOf(tool_choice.type)
    return named === undefined ? 'auto' : { name: named.definition.name }
  }
}

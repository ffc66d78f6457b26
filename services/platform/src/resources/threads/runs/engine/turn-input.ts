// What goes into one turn: the conversation so far, the tools, and what is left of the budgets.
import type { FunctionTool, ToolChoice } from '@atoll/models/chat'
import type { LoopTools } from '../../../../tool-loop/loop-tools.ts'
import { Prompt, type PromptOptions } from '../../../../tool-loop/prompt.ts'
import type { WrittenFile } from '../../../../tool-loop/tools/hosted-tool.ts'
import { samplingOf } from '../../../chat/completions/sampling/sampling.ts'
import type { MessageObject } from '../../messages/schema.ts'
import type { RunSettings } from '../present.ts'
import type { RunRow } from '../run-rows.ts'
import type { IncompleteReason } from '../schema.ts'
import type { StepRow } from '../steps/step-rows.ts'
import { ownMessages } from './conversation.ts'
import type { Ledger } from './ledger.ts'
import { isCalls } from './recorded-calls.ts'
import type { RunWork } from './run-work.ts'
import type { WorkParts } from './work-parts.ts'

type Counted = Pick<RunRow, 'prompt_tokens' | 'completion_tokens'>

/** Which budget is used up. AST-086 */
export function endedBudget(settings: RunSettings, used: Counted): IncompleteReason | undefined {
  const { max_prompt_tokens: prompt, max_completion_tokens: completion } = settings
  if (completion !== null && used.completion_tokens >= completion) return 'max_completion_tokens'
  if (prompt !== null && used.prompt_tokens >= prompt) return 'max_prompt_tokens'
  return undefined
}

/** Messages of this run, by id. */
export async function writtenMessages(
  { messages }: WorkParts,
  { caller }: RunWork,
  { run, steps }: Ledger,
): Promise<Map<string, MessageObject>> {
  if (steps.length === 0) return new Map()
  const page = { limit: 100, order: 'asc' as const, run_id: run.id }
  const { data } = await messages.list(caller, run.thread_id, page)
  return new Map(data.map((message) => [message.id, message]))
}

interface TurnInput {
  work: RunWork
  tools: LoopTools
  run: RunRow
  steps: readonly StepRow[]
  written: Map<string, MessageObject>
  contextLengths: ReadonlyMap<string, number>
}

export function turnPrompt({ work, tools, run, steps, written, contextLengths }: TurnInput): Prompt {
  const { settings, thread } = work
  const conversation = { instructions: settings.instructions, thread, own: ownMessages(steps, written) }
  const left = (max: number | null, used: number): number | undefined => (max === null ? undefined : max - used)
  const toolChoice = tools.choice(settings.tool_choice, isChoiceFulfilled(settings, run, steps))
  return new Prompt(conversation, {
    asked: askedOf(settings, tools.definitions(), toolChoice),
    cuts: settings.truncation_strategy.type === 'last_messages' ? 'results' : 'thread',
    promptTokens: left(settings.max_prompt_tokens, run.prompt_tokens),
    completionTokens: left(settings.max_completion_tokens, run.completion_tokens),
    contextLength: contextLengths.get(settings.model),
  })
}

function askedOf(settings: RunSettings, tools: FunctionTool[], toolChoice: ToolChoice): PromptOptions['asked'] {
  const { response_format: format } = settings
  return {
    tools,
    toolChoice,
    parallelToolCalls: settings.parallel_tool_calls && typeof toolChoice === 'string',
    responseFormat: format === 'auto' ? { type: 'text' } : format,
    choices: 1,
    sampling: samplingOf(settings),
    ...{ topLogprobs: undefined, prediction: undefined, audio: undefined, user: undefined },
  }
}

/** The model has made its calls, or the search that the run began with was all it could do. */
function isChoiceFulfilled({ tool_choice, tools }: RunSettings, run: RunRow, steps: readonly StepRow[]): boolean {
  if (run.turns > 0) return true
  if (!steps.some((step) => step.turn === 0 && isCalls(step))) return false
  if (typeof tool_choice === 'object') return tool_choice.type === 'file_search'
  return tools.every(({ type }) => type === 'file_search')
}

/** A message that follows them shows the images that code has made. */
export function unshownImages(files: readonly WrittenFile[], written: ReadonlyMap<string, MessageObject>): string[] {
  const content = [...written.values()].flatMap((message) => message.content)
  const shown = new Set(content.map((part) => (part.type === 'image_file' ? part.image_file.file_id : '')))
  return files.filter(({ isImage, fileId }) => isImage && !shown.has(fileId)).map(({ fileId }) => fileId)
}

/** Marks of citations would break it. */
export const isJsonAnswer = ({ response_format: format }: RunSettings): boolean =>
  format !== 'auto' && format.type !== 'text'

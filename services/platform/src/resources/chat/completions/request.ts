// From what a caller asked to what a model is asked, with the rules that span several parameters.
import type { ChatRequest, FunctionTool, ToolChoice } from '@atoll/models/chat'
import { chatErrors } from '../../../errors/completions.ts'
import { asksForJson, checkConversation } from './conversation.ts'
import { toolsOfFunctions, usesFunctions, withoutFunctions } from './legacy-functions.ts'
import { checkStreamOptions, samplingOf } from './sampling/sampling.ts'
import type { CreateChatCompletion } from './schema.ts'

const textFormat = { type: 'text' as const }

export function toChatRequest(body: CreateChatCompletion): ChatRequest {
  checkStreamOptions(body)
  checkOutput(body)
  checkConversation(body.messages)
  const legacy = usesFunctions(body)
  const { tools, toolChoice } = legacy ? legacyTools(body) : currentTools(body)
  checkNames(tools, legacy)
  return {
    messages: withoutFunctions(body.messages),
    tools,
    toolChoice,
    // One named function is one call, unless the caller says otherwise.
    parallelToolCalls: !legacy && (body.parallel_tool_calls ?? typeof toolChoice === 'string'),
    responseFormat: body.response_format ?? textFormat,
    choices: body.n ?? 1,
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    sampling: samplingOf(body),
    topLogprobs: body.logprobs === true ? (body.top_logprobs ?? 0) : undefined,
    prediction: body.prediction == null ? undefined : textOf(body.prediction.content),
    audio: wantsAudio(body) ? (body.audio ?? undefined) : undefined,
    user: body.user ?? body.safety_identifier ?? undefined,
    ...mannersOf({ effort: body.reasoning_effort, verbosity: body.verbosity }),
  }
}

/** `medium` is how everybody speaks. */
export const mannersOf = (asked: {
  effort?: string | null | undefined
  verbosity?: string | null | undefined
}): Pick<ChatRequest, 'reasoningEffort' | 'verbosity'> => ({
  ...(asked.effort == null ? {} : { reasoningEffort: asked.effort }),
  ...(asked.verbosity == null || asked.verbosity === 'medium' ? {} : { verbosity: asked.verbosity }),
})

const textOf = (content: string | { text: string }[]): string =>
  typeof content === 'string' ? content : content.map(({ text }) => text).join('')

function checkOutput(body: CreateChatCompletion): void {
  if (body.max_tokens != null && body.max_completion_tokens != null) throw chatErrors.twoTokenLimits()
  if (body.top_logprobs != null && body.logprobs !== true) throw chatErrors.topLogprobsWithoutLogprobs() // INF-050
  const audio = wantsAudio(body)
  if (audio && body.audio == null) throw chatErrors.audioWithoutSettings() // INF-056
  if (!audio && body.audio != null) throw chatErrors.settingsWithoutAudio()
  if (body.response_format?.type === 'json_object' && !asksForJson(body.messages)) throw chatErrors.noWordJson()
}

const wantsAudio = (body: CreateChatCompletion): boolean => body.modalities?.includes('audio') ?? false

interface ToolSetting {
  tools: FunctionTool[]
  toolChoice: ToolChoice
}

const noTools: ToolSetting = { tools: [], toolChoice: 'none' }

function currentTools(body: CreateChatCompletion): ToolSetting {
  const { tools = [], tool_choice: choice } = body
  if (tools.length === 0) {
    if (choice !== undefined && choice !== 'none') throw chatErrors.onlyWith('tool_choice', 'tools')
    if (body.parallel_tool_calls !== undefined) throw chatErrors.onlyWith('parallel_tool_calls', 'tools')
    return noTools
  }
  const functions = tools.map((tool) => tool.function)
  if (typeof choice !== 'object') return { tools: functions, toolChoice: choice ?? 'auto' } // INF-074
  const { name } = choice.function
  if (!functions.some((one) => one.name === name)) throw chatErrors.toolChoiceNotFound('tool_choice', name, 'tools')
  return { tools: functions, toolChoice: { name } }
}

function legacyTools(body: CreateChatCompletion): ToolSetting {
  const { tools, tool_choice, parallel_tool_calls } = body
  if (tools !== undefined || tool_choice !== undefined || parallel_tool_calls !== undefined) {
    throw chatErrors.functionsWithTools()
  }
  return toolsOfFunctions(body)
}

function checkNames(tools: readonly FunctionTool[], legacy: boolean): void {
  if (tools.length < 2) return
  const seen = new Set<string>()
  for (const [index, { name }] of tools.entries()) {
    const param = legacy ? `functions[${index}].name` : `tools[${index}].function.name`
    if (seen.has(name)) throw chatErrors.repeatedFunction(param, name)
    seen.add(name)
  }
}

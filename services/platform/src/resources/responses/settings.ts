// What a response was asked with, all defaults applied: kept with it, and shown with it.
import type { ChatRequest, ResponseFormat } from '@atoll/models/chat'
import { responseErrors } from '../../errors/responses.ts'
import { mannersOf } from '../chat/completions/request.ts'
import { samplingOf } from '../chat/completions/sampling/sampling.ts'
import type { CreateResponse, includable, ResponseObject, TextFormat } from './schema.ts'
import { withoutSecrets } from './tools/mcp/secrets.ts'

type Shown = Pick<
  ResponseObject,
  | 'background'
  | 'instructions'
  | 'max_output_tokens'
  | 'max_tool_calls'
  | 'metadata'
  | 'parallel_tool_calls'
  | 'prompt_cache_key'
  | 'reasoning'
  | 'safety_identifier'
  | 'service_tier'
  | 'store'
  | 'temperature'
  | 'text'
  | 'tool_choice'
  | 'tools'
  | 'top_logprobs'
  | 'top_p'
  | 'truncation'
  | 'user'
>

export interface ResponseSettings extends Shown {
  /** The public id it was asked by. */
  model: string
  include: (typeof includable)[number][]
  /** Of a response in the background: what was given for MCP servers alone, sealed. */
  sealedSecrets?: string | undefined
}

export function settingsOf(body: CreateResponse): ResponseSettings {
  checkCombinations(body)
  const { tools, tool_choice } = body
  return {
    model: body.model,
    include: [...new Set(body.include ?? [])],
    background: body.background ?? false,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: body.reasoning?.summary ?? null },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: body.text?.format ?? { type: 'text' }, verbosity: body.text?.verbosity ?? 'medium' },
    tool_choice: tool_choice ?? 'auto',
    tools: withoutSecrets(tools ?? []),
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    user: body.user ?? null,
  }
}

function checkCombinations(body: CreateResponse): void {
  if (body.conversation != null && body.previous_response_id != null) throw responseErrors.conversationAndPrevious()
  if (body.background === true && body.store === false) throw responseErrors.backgroundNotStored()
  if (body.stream_options != null && body.stream !== true) {
    throw responseErrors.unsupported('stream_options', "'stream_options' is only allowed when 'stream' is enabled.")
  }
  const { summary, generate_summary } = body.reasoning ?? {}
  // `auto` asks for what the model has, and it has none.
  if ([summary, generate_summary].some((asked) => asked != null && asked !== 'auto')) {
    throw responseErrors.unsupported('reasoning.summary', 'No model of this server tells how it has reasoned.')
  }
}

/** Of the request to the model, what is the same in every turn. */
export function askedOf(
  settings: ResponseSettings,
): Omit<ChatRequest, 'messages' | 'maxTokens' | 'tools' | 'toolChoice' | 'parallelToolCalls'> {
  const { temperature, top_p, user } = settings
  return {
    responseFormat: formatOf(settings.text.format),
    choices: 1,
    sampling: samplingOf({ temperature, top_p }),
    topLogprobs: wantsLogprobs(settings) ? settings.top_logprobs : undefined,
    ...{ prediction: undefined, audio: undefined, user: user ?? settings.safety_identifier ?? undefined },
    ...mannersOf({ effort: settings.reasoning.effort, verbosity: settings.text.verbosity }),
  }
}

/** Who asks for the likeliest tokens asks for log probabilities. */
export const wantsLogprobs = ({ include, top_logprobs }: ResponseSettings): boolean =>
  top_logprobs > 0 || include.includes('message.output_text.logprobs')

function formatOf(format: TextFormat): ResponseFormat {
  if (format.type !== 'json_schema') return format
  const { name, description, schema, strict } = format
  return { type: 'json_schema', json_schema: { name, description: description ?? undefined, schema, strict } }
}

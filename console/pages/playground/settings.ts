// What a person sets in the playground, and the request that comes of it.
import type { ChatMessage } from './turn.ts'

export interface Settings {
  system: string
  /** Numbers as they were typed; empty: the model's own. */
  temperature: string
  topP: string
  maxTokens: string
  seed: string
  /** JSON, or empty. */
  tools: string
  schema: string
  logprobs: boolean
}

export const noSettings: Settings = {
  system: '',
  temperature: '',
  topP: '',
  maxTokens: '',
  seed: '',
  tools: '',
  schema: '',
  logprobs: false,
}

export type ChatRequest = { model: string; messages: ChatMessage[] } & Record<string, unknown>

const alternatives = 5

export function requestOf(model: string, settings: Settings, messages: ChatMessage[]): ChatRequest {
  const { temperature, topP, maxTokens, seed, tools, schema, logprobs } = settings
  return {
    model,
    messages,
    ...number('temperature', temperature),
    ...number('top_p', topP),
    ...number('max_tokens', maxTokens),
    ...number('seed', seed),
    ...(tools.trim() === '' ? {} : { tools: toolsOf(tools) }),
    ...(schema.trim() === '' ? {} : { response_format: formatOf(schema) }),
    ...(logprobs ? { logprobs: true, top_logprobs: alternatives } : {}),
  }
}

const number = (name: string, text: string): Record<string, number> =>
  text.trim() === '' ? {} : { [name]: Number(text) }

/** A list of tools, or of functions alone. */
function toolsOf(text: string): unknown[] {
  const parsed: unknown = JSON.parse(text)
  const list: unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  return list.map((tool) => (hasKey(tool, 'function') ? tool : { type: 'function', function: tool }))
}

function formatOf(text: string): unknown {
  const parsed: unknown = JSON.parse(text)
  if (hasKey(parsed, 'json_schema')) return parsed
  const named = hasKey(parsed, 'schema') ? parsed : { name: 'answer', schema: parsed }
  return { type: 'json_schema', json_schema: named }
}

const hasKey = (value: unknown, key: string): boolean => typeof value === 'object' && value !== null && key in value

/** What is wrong with a text that should be JSON; undefined: nothing. */
export function jsonProblem(text: string): string | undefined {
  if (text.trim() === '') return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? undefined : 'Expected an object or a list.'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

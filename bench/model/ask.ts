// Asks the chat model through the public API, as any client would.
import type { AtollServer } from '../atoll-server.ts'
import type { FunctionDefinition, Message } from './cases.ts'

export interface Question {
  messages: Message[]
  tools?: FunctionDefinition[]
  schema?: Record<string, unknown>
  maxTokens?: number
  temperature?: number
  seed?: number
}

export interface Reply {
  text: string
  calls: { name: string; arguments: unknown }[]
  finish: string
  completionTokens: number
}

interface Completion {
  choices: [
    {
      message: { content: string | null; tool_calls?: { function: { name: string; arguments: string } }[] }
      finish_reason: string
    },
  ]
  usage: { completion_tokens: number }
}

/** Answered by the file that `--model` names, else by the built-in model. */
const anyModel = 'gpt-4o-mini'

export interface Asked extends Pick<AtollServer, 'url' | 'apiKey'> {
  /** Which of its models. */
  model?: string
}

export async function ask({ url, apiKey, model = anyModel }: Asked, question: Question): Promise<Reply> {
  const { messages, tools, schema, maxTokens = 200, temperature = 0, seed = 1 } = question
  const body = {
    model,
    messages,
    max_tokens: maxTokens,
    temperature,
    seed,
    ...(tools ? { tools: tools.map((definition) => ({ type: 'function', function: definition })) } : {}),
    ...(schema ? { response_format: { type: 'json_schema', json_schema: { name: 'record', schema } } } : {}),
  }
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = (await response.json()) as Completion
  if (!response.ok) throw new Error(`${response.status}: ${JSON.stringify(answer).slice(0, 500)}`)
  const [choice] = answer.choices
  const calls = choice.message.tool_calls ?? []
  return {
    text: choice.message.content ?? '',
    calls: calls.map((call) => ({ name: call.function.name, arguments: parsed(call.function.arguments) })),
    finish: choice.finish_reason,
    completionTokens: answer.usage.completion_tokens,
  }
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

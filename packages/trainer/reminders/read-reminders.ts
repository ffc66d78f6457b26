// What a model is reminded of while it learns something else: conversations of the kinds that a training costs first
// (calls, results in words, records, questions on a text), made by training/chat/reminders.py.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { chatPrompt } from '@atoll/models/builtin/llama/chat-prompt'
import { trainingTokens } from '@atoll/models/builtin/llama/training-tokens'
import type { ChatMessage, FunctionTool } from '@atoll/models/chat'
import type { Example } from '../train/example.ts'
import type { ReadingOptions } from '../tuning/read-examples.ts'

interface Conversation {
  messages: ChatMessage[]
  tools?: { function: FunctionTool }[]
  /** What the answer is a record of. */
  schema?: Record<string, unknown>
}

const file = new URL('./conversations.jsonl', import.meta.url)

/** In the words of the model's own template; without those that its template cannot write, or that are too long. `all`: with them. */
export async function readReminders(options: ReadingOptions): Promise<{ reminders: Example[]; all: number }> {
  const reminders: Example[] = []
  let all = 0
  for await (const line of createInterface({ input: createReadStream(file) })) {
    all++
    const tokens = tokensOf(JSON.parse(line) as Conversation, options)
    if (tokens !== undefined && tokens.length <= options.maxTokens) {
      reminders.push({ tokens, weights: tokens.map(() => 1) })
    }
  }
  return { reminders, all }
}

function tokensOf({ messages, tools = [], schema }: Conversation, { model, template }: ReadingOptions) {
  const responseFormat = schema
    ? { type: 'json_schema' as const, json_schema: { name: 'record', schema } }
    : { type: 'text' as const }
  const asked = { messages, tools: tools.map((tool) => tool.function), toolChoice: 'auto', responseFormat } as const
  try {
    const prompt = chatPrompt({ ...asked, audio: undefined }, template)
    const last = prompt.messages.length - 1
    return trainingTokens(
      model,
      prompt,
      prompt.messages.map((_, index) => (index === last ? 1 : 0)),
    )[0]?.tokens
  } catch {
    return undefined
  }
}

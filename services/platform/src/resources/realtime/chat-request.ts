// What the chat model is asked for one response.
import type { ChatMessage, ChatRequest } from '@atoll/models/chat'
import type { SessionFields } from './schema.ts'

export function chatRequest(messages: ChatMessage[], settings: SessionFields): ChatRequest {
  const { tools, tool_choice: choice, temperature, max_response_output_tokens: most } = settings
  return {
    messages,
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    toolChoice: typeof choice === 'string' ? choice : { name: choice.name },
    parallelToolCalls: false, // AST-162
    responseFormat: { type: 'text' },
    choices: 1,
    maxTokens: most === 'inf' ? undefined : most,
    sampling: {
      temperature,
      topP: 1,
      frequencyPenalty: 0,
      presencePenalty: 0,
      logitBias: new Map(),
      seed: undefined,
      stop: [],
    },
    topLogprobs: undefined,
    prediction: undefined,
    audio: undefined,
    user: undefined,
  }
}

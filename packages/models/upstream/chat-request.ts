// A chat request on the wire. What has its default value is left out.
import type { ChatMessage, ChatRequest, ToolChoice } from '../chat.ts'
import { wireSampling } from './sampling.ts'
import type { UpstreamSettings } from './settings.ts'

export function chatBody(request: ChatRequest, settings: UpstreamSettings, stream: boolean): Record<string, unknown> {
  const { tools, responseFormat, topLogprobs, prediction } = request
  const body: Record<string, unknown> = {
    model: settings.model,
    messages: settings.developerRole === 'system' ? withoutDevelopers(request.messages) : request.messages,
    ...wireSampling(request.sampling),
  }
  if (tools.length > 0) {
    body.tools = tools.map((tool) => ({ type: 'function', function: tool }))
    if (request.toolChoice !== 'auto') body.tool_choice = toolChoice(request.toolChoice)
    if (!request.parallelToolCalls) body.parallel_tool_calls = false
  }
  if (responseFormat.type !== 'text') body.response_format = responseFormat
  if (request.choices !== 1) body.n = request.choices
  if (request.maxTokens !== undefined) body[settings.maxTokensName] = request.maxTokens
  if (topLogprobs !== undefined) {
    body.logprobs = true
    if (topLogprobs > 0) body.top_logprobs = topLogprobs
  }
  if (prediction !== undefined) body.prediction = { type: 'content', content: prediction }
  if (request.audio !== undefined) {
    body.modalities = ['text', 'audio']
    body.audio = request.audio
  }
  if (request.user !== undefined) body.user = request.user
  if (request.reasoningEffort !== undefined) body.reasoning_effort = request.reasoningEffort
  if (request.verbosity !== undefined) body.verbosity = request.verbosity
  if (stream) addStream(body, settings)
  return body
}

export function addStream(body: Record<string, unknown>, { streamUsage }: UpstreamSettings): void {
  body.stream = true
  if (streamUsage) body.stream_options = { include_usage: true }
}

function withoutDevelopers(messages: ChatMessage[]): ChatMessage[] {
  if (!messages.some(({ role }) => role === 'developer')) return messages
  return messages.map((message) => (message.role === 'developer' ? { ...message, role: 'system' } : message))
}

const toolChoice = (choice: ToolChoice): unknown =>
  typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } }

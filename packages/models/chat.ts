// The chat port. Answers have the shape they have on the wire: it is what upstream servers send and clients read,
// so that nothing is translated twice.
import type { Call } from './call.ts'
import type { RealtimeModel } from './realtime.ts'
import type { Sampling } from './sampling.ts'

export interface TextPart {
  type: 'text'
  text: string
}
export interface ImagePart {
  type: 'image_url'
  image_url: { url: string; detail?: 'auto' | 'low' | 'high' | undefined }
}
export interface AudioPart {
  type: 'input_audio'
  input_audio: { data: string; format: 'wav' | 'mp3' }
}
export interface RefusalPart {
  type: 'refusal'
  refusal: string
}

export interface ToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

export type ChatMessage =
  | { role: 'system' | 'developer'; content: string | TextPart[]; name?: string | undefined }
  | { role: 'user'; content: string | (TextPart | ImagePart | AudioPart)[]; name?: string | undefined }
  | {
      role: 'assistant'
      content?: string | (TextPart | RefusalPart)[] | null | undefined
      refusal?: string | null | undefined
      name?: string | undefined
      tool_calls?: ToolCall[] | undefined
      /** An earlier answer in audio. */
      audio?: { id: string } | null | undefined
    }
  | { role: 'tool'; tool_call_id: string; content: string | TextPart[] }

export interface FunctionTool {
  name: string
  description?: string | undefined
  /** JSON Schema of the arguments; absent: none. */
  parameters?: Record<string, unknown> | undefined
  /** The arguments must follow the schema to the letter. */
  strict?: boolean | null | undefined
}

export type ToolChoice = 'none' | 'auto' | 'required' | { name: string }

export type ResponseFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | {
      type: 'json_schema'
      json_schema: {
        name: string
        description?: string | undefined
        schema?: Record<string, unknown> | undefined
        strict?: boolean | null | undefined
      }
    }

export interface ChatRequest {
  messages: ChatMessage[]
  tools: FunctionTool[]
  toolChoice: ToolChoice
  parallelToolCalls: boolean
  responseFormat: ResponseFormat
  /** `n`. */
  choices: number
  /** Absent: as many as the context holds. */
  maxTokens: number | undefined
  sampling: Sampling
  /** Absent: no log probabilities; 0: of the chosen tokens only. */
  topLogprobs: number | undefined
  /** What the answer will mostly be; used to go faster, never to change it. */
  prediction: string | undefined
  /** The answer is spoken too; absent: text alone. */
  audio: { voice: string; format: string } | undefined
  user: string | undefined
  /** How much it thinks before it answers: `none`, `low` and so on. Absent: as it likes. */
  reasoningEffort?: string | undefined
  /** How much it says: `low` or `high`. Absent: as it likes. */
  verbosity?: string | undefined
}

export interface TopLogprob {
  token: string
  logprob: number
  bytes: number[] | null
}
export interface TokenLogprob extends TopLogprob {
  top_logprobs: TopLogprob[]
}
export interface ChoiceLogprobs {
  content: TokenLogprob[] | null
  refusal: TokenLogprob[] | null
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

export interface ChatUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details: { cached_tokens: number; audio_tokens: number }
  completion_tokens_details: {
    reasoning_tokens: number
    audio_tokens: number
    accepted_prediction_tokens: number
    rejected_prediction_tokens: number
  }
}

interface Answered {
  /** What really answered: never the public id it was asked by. */
  model: string
  system_fingerprint: string
}

export interface ChatAnswer extends Answered {
  choices: ChatChoice[]
  usage: ChatUsage
}

/** `data` is base64 in the format that was asked for; of a stream, each piece by itself. */
export interface ChatAudio {
  id: string
  expires_at: number
  data: string
  transcript: string
}

export interface ChatChoice {
  index: number
  message: {
    role: 'assistant'
    content: string | null
    refusal: string | null
    tool_calls?: ToolCall[]
    audio?: ChatAudio
  }
  logprobs: ChoiceLogprobs | null
  finish_reason: FinishReason
}

/**
 * A step of a streamed answer. For each choice: first `role` with empty content, then text or tool calls, at last an
 * empty delta with the finish reason. After all of them one step without choices carries the usage.
 */
export interface ChatDelta extends Answered {
  choices: ChoiceDelta[]
  usage?: ChatUsage
}

export interface ChoiceDelta {
  index: number
  delta: {
    role?: 'assistant'
    content?: string | null
    refusal?: string | null
    tool_calls?: ToolCallDelta[]
    audio?: Partial<ChatAudio>
  }
  logprobs: ChoiceLogprobs | null
  finish_reason: FinishReason | null
}

/** `id`, `type` and the name come with the first piece of a call, then pieces of its arguments. */
export interface ToolCallDelta {
  index: number
  id?: string
  type?: 'function'
  function?: { name?: string; arguments?: string }
}

export interface ChatModel {
  complete(request: ChatRequest, call: Call): Promise<ChatAnswer>
  stream(request: ChatRequest, call: Call): AsyncIterable<ChatDelta>
  /** In tokens, question and answer together; where the model can tell before it is asked. */
  contextLength?(): Promise<number>
  /** Holds realtime sessions itself. Absent: they are made of chats, transcriptions and speech. */
  readonly realtime?: RealtimeModel
  /** Gets ready for conversations that begin like this one. Of models on this machine: others would charge for it. */
  warm?(request: ChatRequest, call: Call): Promise<void>
  /** Of the prompt, without an answer; where the model can tell. */
  countTokens?(request: ChatRequest, call: Call): Promise<number>
}

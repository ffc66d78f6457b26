// What the runtime and the model's process say to each other.
import type { ModelProblemDetail } from '../../problem.ts'

/** What the model is told at its start. */
export interface LoadOptions {
  file: string
  /** Of the file; absent: not checked. */
  sha256: string | undefined
  contextLength: number
  slots: number
  threads: number
  /** Of each number that is kept of a conversation. Absent: 16. */
  keyBits?: 8 | 16
}

export interface LoadedModel {
  contextLength: number
  slots: number
  vocabularySize: number
}

/** A message as chat templates know it. */
export interface TemplateMessage {
  role: string
  content: string
  name?: string
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: unknown } }[]
  tool_call_id?: string
}

export interface ChatPrompt {
  kind: 'chat'
  messages: TemplateMessage[]
  tools: unknown[] | undefined
  /** Of the answer, for templates that show it themselves. */
  responseSchema?: unknown
}

export type Prompt =
  | ChatPrompt
  /** Plain text; with `suffix`, what stands between the two is wanted. */
  | { kind: 'text'; text: string | number[]; suffix: string | undefined }
  | ReadPrompt

/** In the model's own tokens, of which those `from` and before `to` are what was asked to go on from. */
export interface ReadPrompt {
  kind: 'read'
  tokens: number[]
  from: number
  to: number
}

export interface GenerateOptions {
  prompt: Prompt
  /** The file of what is added to the model for this answer. */
  adapter: string | undefined
  maxTokens: number | undefined
  temperature: number
  topP: number
  frequencyPenalty: number
  presencePenalty: number
  logitBias: [token: number, bias: number][]
  seed: number
  stop: readonly string[]
  /** Absent: no log probabilities. */
  topLogprobs: number | undefined
  /** The prompt comes first, with log probabilities where they are asked for. */
  echo: boolean
  /** The whole answer follows it. */
  grammar: string | undefined
  /** The answer follows `grammar` from behind the first `text` on; some count only where the answer begins. */
  trigger: { text: string; onlyAtStart: boolean; grammar: string } | undefined
  /** As text, or in the model's own tokens. */
  prediction: string | number[] | undefined
  /** Marks such as the beginning of a tool call are part of the text. */
  showSpecial: boolean
  /** An answer that only repeats itself is over, except within a call. */
  endsCircles: boolean
  /** What follows a grammar is JSON, and a text in it that only repeats itself is closed. */
  closesCircles: boolean
  /** Values written under a grammar go on as this text does, once they began so. Absent: nothing is copied. */
  copiedFrom: string | undefined
  /** What begins a call, where none is wanted. */
  unwantedMark: string | undefined
}

export type Command = { type: 'generate'; id: number; options: GenerateOptions } | { type: 'cancel'; id: number }

export interface PieceLogprob {
  token: string
  bytes: number[]
  /** Absent for the first token of a prompt. */
  logprob: number | undefined
  top: { token: string; bytes: number[]; logprob: number }[]
}

/** Text that has become certain, with the tokens that end in it. */
export interface Piece {
  text: string
  logprobs: PieceLogprob[]
}

export type Event =
  | { type: 'loaded'; model: LoadedModel }
  | { type: 'load-failed'; message: string }
  | { type: 'started'; id: number; promptTokens: number; cachedTokens: number; promptPieces: Piece[] }
  | { type: 'pieces'; id: number; pieces: Piece[] }
  | {
      type: 'finished'
      id: number
      reason: 'stop' | 'length'
      completionTokens: number
      acceptedPrediction: number
      rejectedPrediction: number
    }
  | { type: 'failed'; id: number; message: string; detail: ModelProblemDetail }

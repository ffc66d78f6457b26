// Who works in the loop, a run on a thread or a response: what it has done so far, and where it goes on.
import type { ChoiceDelta, ToolCall } from '@atoll/models/chat'
import type { ProjectCaller } from '../callers.ts'
import type { Inference } from '../inference/inference.ts'
import type { Answered, Spent } from './ask-model.ts'
import type { LoopTools } from './loop-tools.ts'
import type { Prompt } from './prompt.ts'
import type { HostedCall, ToolContext, ToolOutcome } from './tools/hosted-tool.ts'

/** What a tool is told of the work that calls it. */
export type CallContext = Omit<
  ToolContext,
  'caller' | 'model' | 'tool' | 'callId' | 'outputTokens' | 'signal' | 'progress'
> & {
  /** The call as far as it has come. */
  progress(call: HostedCall): void
}

export type CallOutcome = Omit<ToolOutcome, 'call' | 'keepIn'> & {
  /** Absent: no tool of ours; it is shown as it was called. */
  call?: HostedCall
  keepIn?: ToolOutcome['keepIn']
}

export interface LoopRecord {
  /** Answers of the model that are complete. */
  readonly turns: number
  /** Tokens of the answer that is being written. */
  readonly spent: Spent
  /** Calls of the last answer that are the platform's to make, and have no result yet. */
  openCalls(): readonly ToolCall[]
  callContext(call: ToolCall): CallContext
  /** What is to survive a crash is durable when this resolves: no call is made before the result of the one before. */
  writeResult(call: ToolCall, outcome: CallOutcome): Promise<void>
  /** True: calls of the last answer are the caller's to make, and the work rests until they are made. */
  leaveToCaller(): Promise<boolean>
  /** The next question; undefined when there is none: the work has been ended. */
  nextPrompt(): Promise<Prompt | undefined>
  /** The next piece of the answer. */
  add(piece: ChoiceDelta): Promise<void>
  /** The answer is whole. True: it was the last one. */
  closeTurn(answer: Answered): Promise<boolean>
}

/** One record at work. */
export interface Loop {
  inference: Inference
  /** Context lengths that models have told by refusing, by the public id. */
  contextLengths: Map<string, number>
  caller: ProjectCaller
  /** The public id. */
  model: string
  tools: LoopTools
  record: LoopRecord
  /** Stops the work, whatever the reason. */
  signal: AbortSignal
  /** Somebody waits for it. */
  isUrgent?: boolean
  /** Nobody reads along. */
  isWhole?: boolean
  /** Part of a batch. */
  isBatch?: boolean
}

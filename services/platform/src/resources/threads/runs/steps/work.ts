// What a step keeps for the run itself: the calls as the model wrote them, and what it reads as their results.
import type { ToolCall } from '@atoll/models/chat'
import type { Passage, WrittenFile } from '../../../../tool-loop/tools/hosted-tool.ts'

export interface CallResult {
  output: string
  passages: Passage[]
  files: WrittenFile[]
}

export interface StepWork {
  calls: ToolCall[]
  /** By the id of the call: of tools that the platform runs. What callers submit stands in the step itself. */
  results: Record<string, CallResult>
}

export const noWork: StepWork = { calls: [], results: {} }

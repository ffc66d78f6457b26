// A tool that the platform runs itself. The model sees it as a function; steps of runs and items of responses show it
// as what it is.
import type { Tx } from '@atoll/kernel/db/database'
import type { FunctionTool } from '@atoll/models/chat'
import type { ProjectCaller } from '../../callers.ts'
import type { AssistantTool, ToolResources } from '../../resources/assistants/schema.ts'
import type { StepToolCall } from '../../resources/threads/runs/steps/schema.ts'
import type { Attributes, SearchFilter } from '../../resources/vector-stores/files/attributes/schema.ts'
import type { McpCallError } from '../mcp/problem.ts'

/** A call of one of our tools, as far as it has come. Runs know the first kind alone, the others are for responses. */
export type HostedCall = StepToolCall | ImageCall | McpCall

interface ImageCall {
  id: string
  type: 'image_generation'
  /** `result` in base64; null when none was drawn. */
  image_generation: { result: string | null; revised_prompt?: string | undefined }
}

interface McpCall {
  id: string
  type: 'mcp'
  mcp: { output: string | null; error: McpCallError | null }
}

export interface ToolContext {
  caller: ProjectCaller
  runId: string
  threadId: string
  assistantId: string
  /** The public id of the run's model. */
  model: string
  /** As the assistant or the run declares it; absent: the tool knows by itself. */
  tool: AssistantTool | undefined
  /** Of the assistant (with the run's overrides) and of the thread, files of its messages included. */
  assistantResources: ToolResources
  threadResources: ToolResources
  /** Which files a search goes through, by their attributes; absent: all. */
  filter?: SearchFilter | undefined
  /** Of the step's call: `call_…`. */
  callId: string
  /** What searches of this run have found before, in order: passages are numbered through. */
  found: readonly Passage[]
  /** About how many tokens the model may be given to read. */
  outputTokens: number
  signal: AbortSignal
  /** The call as far as it has come, for readers of the stream: always whole, outputs only grow. */
  progress(call: HostedCall): void
}

export interface ToolOutcome {
  /** Complete, as it is shown. */
  call: HostedCall
  /** What the model reads as the function's result. */
  output: string
  /** Passages an answer may come from. */
  passages: Passage[]
  /** What the files a search found were described by, by their ids: also of those no answer comes from. */
  described?: ReadonlyMap<string, Attributes>
  /** Files the code wrote: what an answer that names one links to. */
  files: WrittenFile[]
  /**
   * Makes what the call has produced part of the transaction that records the step: without it the files do not
   * exist, so that a call that is made again after a crash leaves none twice.
   */
  keepIn(tx: Tx): Promise<void>
}

export interface Passage {
  fileId: string
  fileName: string
  /** Title and headings that the text stands under. Runs of an older version have recorded none. */
  heading?: string
  text: string
  /** From 0 to 1. */
  score: number
  /** Which search of the run found it, from 0, and at which place, from 0: its mark is `【search:place†name】`. */
  search: number
  place: number
}

export interface WrittenFile {
  fileId: string
  /** As the code knows it: `/mnt/data/report.csv`. Absent for an image that was shown and not written. */
  path: string | undefined
  /** Shown in the answer as `image_file`. */
  isImage: boolean
}

/** What a model must know before it can call: its own resources among them. */
export type DefinitionContext = Pick<ToolContext, 'caller' | 'tool' | 'assistantResources' | 'threadResources'>

export interface HostedTool {
  readonly type: 'file_search' | 'code_interpreter' | 'image_generation' | 'mcp'
  definition(context: DefinitionContext): Promise<FunctionTool>
  /**
   * `args` is JSON as the model wrote it; what is wrong with it becomes the output.
   * Throws ToolFailure when the run cannot go on, and the signal's reason when that fires.
   */
  call(context: ToolContext, args: string): Promise<ToolOutcome>
}

/** The run fails; this is its `last_error`. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
  readonly code: 'server_error' | 'rate_limit_exceeded'

  constructor(message: string, code: 'server_error' | 'rate_limit_exceeded' = 'server_error') {
    super(message)
    this.code = code
  }
}

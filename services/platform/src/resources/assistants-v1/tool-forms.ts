// Tools, the choice among them, and the format of answers: from the first form of the interface to the second, and back.
import type { AssistantsResponseFormat, AssistantTool } from '../assistants/schema.ts'
import type { RunToolChoice } from '../threads/runs/schema.ts'
import type { ToolChoiceV1 } from './run-schema.ts'
import type { ResponseFormatV1, ToolV1 } from './schema.ts'

export function toolToV2(tool: ToolV1): AssistantTool {
  if (tool.type === 'retrieval') return { type: 'file_search' }
  if (tool.type === 'function') return { type: 'function', function: { ...tool.function, strict: false } }
  return tool
}

export function toolToV1(tool: AssistantTool): ToolV1 {
  if (tool.type === 'file_search') return { type: 'retrieval' }
  if (tool.type === 'code_interpreter') return { type: 'code_interpreter' }
  const { strict: _, ...shown } = tool.function
  return { type: 'function', function: shown }
}

export function choiceToV2(choice: ToolChoiceV1): RunToolChoice {
  return typeof choice === 'object' && choice.type === 'retrieval' ? { type: 'file_search' } : choice
}

export function choiceToV1(choice: RunToolChoice): ToolChoiceV1 {
  // The first form cannot say that any tool will do, but one must be used.
  if (choice === 'required') return 'auto'
  return typeof choice === 'object' && choice.type === 'file_search' ? { type: 'retrieval' } : choice
}

/** No format is plain text. */
export const formatToV2 = (format: ResponseFormatV1): AssistantsResponseFormat =>
  format === 'none' ? { type: 'text' } : format

/** What keeps to a schema is JSON at any rate. */
export const formatToV1 = (format: AssistantsResponseFormat): ResponseFormatV1 =>
  format === 'auto' ? format : { type: format.type === 'text' ? 'text' : 'json_object' }

/** Given or not, or set back with `null`: as it came. */
export function ifGiven<From, To>(value: From | null | undefined, turn: (value: From) => To): To | null | undefined {
  if (value === null) return null
  return value === undefined ? undefined : turn(value)
}

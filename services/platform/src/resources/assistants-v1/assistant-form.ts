// Assistants: from the first form of the interface to the second, and back.
import { positionOf } from '@atoll/kernel/ids/ids'
import type { AssistantObject, CreateAssistant } from '../assistants/schema.ts'
import type { AssistantV1, CreateAssistantV1, UpdateAssistantV1 } from './schema.ts'
import { formatToV1, formatToV2, ifGiven, toolToV1, toolToV2 } from './tool-forms.ts'

/** What can be told without a look at the files. */
export function settingsToV2<Request extends CreateAssistantV1 | UpdateAssistantV1>(request: Request) {
  const { tools, file_ids: _, response_format, ...same } = request
  return { ...same, tools: tools?.map(toolToV2), response_format: ifGiven(response_format, formatToV2) }
}

/** Files are for both tools: for the code, and in a store of the assistant's own for the search. */
export function assistantToV2(request: CreateAssistantV1): CreateAssistant {
  const file_ids = [...new Set(request.file_ids)]
  const tool_resources = { code_interpreter: { file_ids }, file_search: { vector_stores: [{ file_ids }] } }
  return { ...settingsToV2(request), ...(file_ids.length > 0 && { tool_resources }) }
}

/** `isThere` tells files that were deleted from those that were not. */
export function assistantToV1(assistant: AssistantObject, isThere: (fileId: string) => boolean): AssistantV1 {
  const { tools, tool_resources: _, response_format, ...same } = assistant
  const file_ids = byCreation(filesOf(assistant).filter(isThere))
  return { ...same, tools: tools.map(toolToV1), file_ids, response_format: formatToV1(response_format) }
}

/** Oldest file first: ids carry their time. AST-033 */
export const byCreation = (fileIds: readonly string[]): string[] =>
  fileIds.toSorted((a, b) => (positionOf(a) ?? 0) - (positionOf(b) ?? 0))

/**
 * Those that the first form knows, as they were attached. What an assistant of the second form has in a store besides may be thousands of
 * files, and other assistants' too: `retrieval` finds them, no list names them.
 */
export const filesOf = ({ tool_resources }: Pick<AssistantObject, 'tool_resources'>): string[] =>
  tool_resources.code_interpreter?.file_ids ?? []

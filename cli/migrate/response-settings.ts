// An assistant as the fields that a response is created with.
import type { AssistantObject } from '@atoll/platform/resources/assistants/schema'

type Tool = AssistantObject['tools'][number]

export interface Moved {
  assistant_id: string
  name: string | null
  /** For `POST /v1/responses`, with `input` and, for a thread, its id as `conversation`. */
  create: Record<string, unknown>
  /** What a person should look at. */
  notes: string[]
}

export function moved(assistant: AssistantObject): Moved {
  const { id, name, model, instructions, temperature, top_p, metadata } = assistant
  const notes: string[] = []
  const tools = assistant.tools.flatMap((tool) => toolOf(tool, assistant, notes))
  const text = formatOf(assistant)
  return {
    assistant_id: id,
    name: name ?? null,
    create: {
      model,
      ...(instructions ? { instructions } : {}),
      ...(tools.length > 0 ? { tools } : {}),
      ...(text === undefined ? {} : { text }),
      ...(temperature == null ? {} : { temperature }),
      ...(top_p == null ? {} : { top_p }),
      metadata: { ...metadata, assistant_id: id },
    },
    notes,
  }
}

function toolOf(tool: Tool, { tool_resources }: AssistantObject, notes: string[]): object[] {
  if (tool.type === 'function') return [{ type: 'function', ...tool.function }]
  if (tool.type === 'code_interpreter') {
    const file_ids = tool_resources.code_interpreter?.file_ids ?? []
    return [{ type: tool.type, container: { type: 'auto', file_ids } }]
  }
  const vector_store_ids = tool_resources.file_search?.vector_store_ids ?? []
  if (vector_store_ids.length === 0) {
    notes.push(
      'file_search was left out: the assistant has no vector store. Add those of its threads where you need them.',
    )
    return []
  }
  return [{ type: tool.type, vector_store_ids, ...tool.file_search }]
}

function formatOf({ response_format: format }: AssistantObject): object | undefined {
  if (format === 'auto' || format.type === 'text') return undefined
  return { format: format.type === 'json_schema' ? { type: format.type, ...format.json_schema } : format }
}

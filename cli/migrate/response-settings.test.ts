import type { AssistantObject } from '@atoll/platform/resources/assistants/schema'
import { describe, expect, it } from 'vitest'
import { moved } from './response-settings.ts'

const assistant = {
  ...{ id: 'asst_1', object: 'assistant', created_at: 1, name: 'Helper', description: null, model: 'gpt-4o' },
  ...{ instructions: 'Be kind.', metadata: { a: 'b' }, temperature: 0.5, top_p: null },
  tools: [
    { type: 'function', function: { name: 'f', parameters: { type: 'object' }, strict: true } },
    { type: 'code_interpreter' },
    { type: 'file_search', file_search: { max_num_results: 3 } },
  ],
  tool_resources: { code_interpreter: { file_ids: ['file-1'] }, file_search: { vector_store_ids: ['vs_1'] } },
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' } } },
} as unknown as AssistantObject

describe('an assistant as a response', () => {
  it('keeps its model, words, tools, files and format', () => {
    expect(moved(assistant)).toEqual({
      assistant_id: 'asst_1',
      name: 'Helper',
      create: {
        ...{ model: 'gpt-4o', instructions: 'Be kind.', temperature: 0.5 },
        tools: [
          { type: 'function', name: 'f', parameters: { type: 'object' }, strict: true },
          { type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-1'] } },
          { type: 'file_search', vector_store_ids: ['vs_1'], max_num_results: 3 },
        ],
        text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' } } },
        metadata: { a: 'b', assistant_id: 'asst_1' },
      },
      notes: [],
    })
  })

  it('says what a person should look at', () => {
    const { create, notes } = moved({ ...assistant, tool_resources: {}, tools: [{ type: 'file_search' }] })
    expect(create.tools).toBeUndefined()
    expect(notes[0]).toContain('no vector store')
  })
})

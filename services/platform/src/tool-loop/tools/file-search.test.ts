import { describe, expect, it } from 'vitest'
import { vectorStoreErrors } from '../../errors/vector-stores.ts'
import { madeItem } from '../../resources/responses/work/hosted-item.ts'
import type { FoundPassage, SearchOptions } from '../../resources/vector-stores/search.ts'
import { FileSearch } from './file-search.ts'
import { ToolFailure } from './hosted-tool.ts'
import { toolContext } from './testing/tool-context.ts'

const found: FoundPassage[] = [
  { fileId: 'file-1', fileName: 'club.txt', score: 0.9, text: 'Guests pay 6 euros an evening.', heading: '' },
  {
    fileId: 'file-2',
    fileName: 'rules.md',
    score: 0.4,
    text: 'Tools are lent out against a deposit of 20 euros.',
    heading: '',
  },
]

/** Stores that give what they are told to, and remember what they were asked. */
function stores(answer: () => FoundPassage[] = () => found) {
  const asked: { storeIds: readonly string[]; options: SearchOptions }[] = []
  const waited: (readonly string[])[] = []
  const vectorStores = {
    async checkExists(_caller: unknown, id: string) {
      if (id === 'vs_gone') throw vectorStoreErrors.noSuchStore(id)
    },
    async waitUntilReady(_caller: unknown, storeIds: readonly string[]) {
      waited.push(storeIds)
      return true
    },
    async search(_caller: unknown, storeIds: readonly string[], options: SearchOptions) {
      asked.push({ storeIds, options })
      return answer()
    },
  }
  return { tool: new FileSearch({ vectorStores }), asked, waited }
}

const ofStores = (...ids: string[]) => ({ file_search: { vector_store_ids: ids } })

describe('file_search', () => {
  it('AST-131 searches the stores of the assistant and of the thread, once they are ready', async () => {
    const { tool, asked, waited } = stores()
    const context = toolContext('file_search', {
      assistantResources: ofStores('vs_a'),
      threadResources: ofStores('vs_t'),
    })
    const { call, output, passages } = await tool.call(context, '{"query":"what do guests pay"}')
    expect(waited).toEqual([['vs_a', 'vs_t']])
    expect(asked).toMatchObject([
      { storeIds: ['vs_a', 'vs_t'], options: { query: 'what do guests pay', limit: 20, minScore: 0 } },
    ])
    expect(call).toEqual({
      id: 'call_1',
      type: 'file_search',
      file_search: {
        ranking_options: { ranker: 'default_2024_08_21', score_threshold: 0 },
        results: found.map(({ fileId, fileName, score, text }) => ({
          file_id: fileId,
          file_name: fileName,
          score,
          content: [{ type: 'text', text }],
        })),
      },
    })
    expect(output).toBe(
      '[1] club.txt\nGuests pay 6 euros an evening.\n\n[2] rules.md\nTools are lent out against a deposit of 20 euros.',
    )
    expect(passages.map(({ search, place }) => [search, place])).toEqual([
      [0, 0],
      [0, 1],
    ])
  })

  it('honours max_num_results and score_threshold, and gives small models fewer', async () => {
    const { tool, asked } = stores()
    const assistantResources = ofStores('vs_a')
    const options = { max_num_results: 3, ranking_options: { score_threshold: 0.5 } }
    const set = { type: 'file_search' as const, file_search: options }
    const { call } = await tool.call(toolContext('file_search', { assistantResources, tool: set }), '{"query":"x"}')
    await tool.call(toolContext('file_search', { assistantResources, model: 'gpt-3.5-turbo' }), '{"query":"x"}')
    expect(asked.map(({ options: { limit, minScore } }) => [limit, minScore])).toEqual([
      [3, 0.5],
      [5, 0],
    ])
    expect(call).toMatchObject({ file_search: { ranking_options: { score_threshold: 0.5 } } })
  })

  it('hands on the weights of meaning and words', async () => {
    const { tool, asked } = stores()
    const hybrid_search = { embedding_weight: 1, text_weight: 3 }
    const set = {
      type: 'file_search' as const,
      file_search: { ranking_options: { score_threshold: 0, hybrid_search } },
    }
    const context = toolContext('file_search', { assistantResources: ofStores('vs_a'), tool: set })
    await tool.call(context, '{"query":"x"}')
    expect(asked[0]?.options.hybrid).toEqual(hybrid_search)
  })

  it('searches a store once, and numbers passages on from those found before', async () => {
    const { tool, asked } = stores()
    const resources = { assistantResources: ofStores('vs_a'), threadResources: ofStores('vs_a') }
    const first = await tool.call(toolContext('file_search', resources), '{"query":"x"}')
    const next = await tool.call(toolContext('file_search', { ...resources, found: first.passages }), '{"query":"y"}')
    expect(asked[0]?.storeIds).toEqual(['vs_a'])
    expect(next.passages.map(({ search, place }) => [search, place])).toEqual([
      [1, 0],
      [1, 1],
    ])
    expect(next.output).toMatch(/^\[3\] club\.txt/)
  })

  it.each([
    ['plain words', 'plain words'],
    ['{"q": "other name"}', 'other name'],
    ['{"queries": ["first", "second"]}', 'first'],
    ['"a text"', 'a text'],
    ['{"query": "cut off', 'cut off'],
  ])('understands what models write instead: %s', async (args, query) => {
    const { tool, asked } = stores()
    await tool.call(toolContext('file_search', { assistantResources: ofStores('vs_a') }), args)
    expect(asked[0]?.options.query).toBe(query)
  })

  it.each(['', '  ', '{}', '{"query": ""}'])('tells the model when it asked for nothing: %j', async (args) => {
    const { tool, asked } = stores()
    const { output, call } = await tool.call(toolContext('file_search', { assistantResources: ofStores('vs_a') }), args)
    expect(output).toContain('{"query": "..."}')
    expect(call).toMatchObject({ file_search: { results: [] } })
    expect(asked).toEqual([])
  })

  it('says so when nothing was found, or there is nothing to search', async () => {
    const nothing = stores(() => [])
    const searched = toolContext('file_search', { assistantResources: ofStores('vs_a') })
    expect((await nothing.tool.call(searched, '{"query":"x"}')).output).toBe('The files hold nothing about this.')
    expect((await nothing.tool.call(toolContext('file_search'), '{"query":"x"}')).output).toBe(
      'There are no files to search.',
    )
  })

  it('says so when what was found is far from the question, and gives it only to who can read much', async () => {
    const far = found.map((passage, place) => ({ ...passage, score: 0.01 / (place + 1), attributes: { place } }))
    const { tool } = stores(() => far)
    const context = { assistantResources: ofStores('vs_a') }
    const large = await tool.call(toolContext('file_search', context), '{"query":"x"}')
    expect(large.output).toMatch(/^The files may hold nothing about this\. [^\n]+\n\n\[1\] club\.txt\nGuests pay/)
    expect(large.passages).toHaveLength(2)
    const small = await tool.call(toolContext('file_search', { ...context, outputTokens: 1_600 }), '{"query":"x"}')
    expect(small).toMatchObject({ output: 'The files hold nothing about this.', passages: [] })
    expect(small.call).toMatchObject({ file_search: { results: [{ file_id: 'file-1' }, { file_id: 'file-2' }] } })
    const work = { turn: 0, callId: 'call_1', name: 'file_search', arguments: '{"query":"x"}' }
    const item = {
      id: 'fs_1',
      type: 'file_search_call' as const,
      status: 'in_progress' as const,
      queries: [],
      results: null,
    }
    const results = [{ attributes: { place: 0 } }, { attributes: { place: 1 } }]
    expect(madeItem({ item, work }, small)).toMatchObject({ results })
  })

  it('passes by stores that were deleted', async () => {
    const { tool, asked } = stores()
    const assistantResources = ofStores('vs_gone')
    const { output } = await tool.call(toolContext('file_search', { assistantResources }), '{"query":"x"}')
    expect(output).toBe('There are no files to search.')
    const threadResources = ofStores('vs_t')
    await tool.call(toolContext('file_search', { assistantResources, threadResources }), '{"query":"x"}')
    expect(asked.map(({ storeIds }) => storeIds)).toEqual([['vs_t']])
  })

  it('fails the run when a store has expired', async () => {
    const { tool } = stores(() => {
      throw vectorStoreErrors.expired('vs_a')
    })
    const calling = tool.call(toolContext('file_search', { assistantResources: ofStores('vs_a') }), '{"query":"x"}')
    await expect(calling).rejects.toThrow(ToolFailure)
    await expect(calling).rejects.toMatchObject({ code: 'server_error', message: expect.stringContaining('vs_a') })
  })
})

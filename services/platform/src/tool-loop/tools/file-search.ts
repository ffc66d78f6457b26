// The `file_search` tool: looks through the stores of the assistant and of the thread. AST-131
import { HttpError } from '@atoll/kernel/http/error'
import type { FunctionTool } from '@atoll/models/chat'
import type { StepToolCall } from '../../resources/threads/runs/steps/schema.ts'
import type { FoundPassage, SearchOptions } from '../../resources/vector-stores/search.ts'
import type { VectorStores } from '../../resources/vector-stores/service.ts'
import { type HostedTool, type Passage, type ToolContext, ToolFailure, type ToolOutcome } from './hosted-tool.ts'
import { queryOf } from './passages/query-argument.ts'
import { passagesText, smallReaderTokens } from './passages.ts'

/** Files that were added a moment ago are waited for. */
const freshFilesMs = 60_000
const defaultResults = 20
const defaultResultsOfSmallModels = 5
/** Small models say it as they read it. */
const nothingFits = 'The files hold nothing about this.'
const maybeNothing =
  'The files may hold nothing about this. If these passages do not answer, say that the files do not tell.'
/** Six in ten questions about other things find nothing better, and none about the files that uses words of theirs. */
const farScore = 0.025
const ranker = 'default_2024_08_21'

type SearchedStores = Pick<VectorStores, 'checkExists' | 'waitUntilReady' | 'search'>

export class FileSearch implements HostedTool {
  readonly type = 'file_search'
  readonly #stores: SearchedStores

  constructor(parts: { vectorStores: SearchedStores }) {
    this.#stores = parts.vectorStores
  }

  async definition(): Promise<FunctionTool> {
    return {
      name: 'file_search',
      description: "Find passages in the user's files",
      parameters: {
        type: 'object',
        properties: { query: { type: 'string', description: 'What to look for' } },
        required: ['query'],
      },
    }
  }

  async call(context: ToolContext, args: string): Promise<ToolOutcome> {
    const query = queryOf(args)
    if (query === undefined) {
      return outcome(context, [], 'Nothing was searched: tell what to look for, as {"query": "..."}.')
    }
    const stores = await this.#storesOf(context)
    if (stores.length === 0) return outcome(context, [], 'There are no files to search.')
    const found = await this.#search(context, stores, query)
    const isFar = (found[0]?.score ?? 0) < farScore
    // Who reads little takes what is beside the point for the answer.
    if (isFar && context.outputTokens <= smallReaderTokens) return outcome(context, found, nothingFits)
    const passages = numbered(context.found, found)
    const reading = { query, tokens: context.outputTokens, firstNumber: context.found.length + 1 }
    const text = passagesText(passages, reading)
    if (text === '') return outcome(context, found, nothingFits)
    return { ...outcome(context, found, isFar ? `${maybeNothing}\n\n${text}` : text), passages }
  }

  /** Those that are left: one that was deleted has nothing to search. */
  async #storesOf({ caller, assistantResources, threadResources }: ToolContext): Promise<string[]> {
    const lists = [assistantResources, threadResources].map(({ file_search }) => file_search?.vector_store_ids ?? [])
    const left: string[] = []
    for (const id of new Set(lists.flat())) {
      try {
        await this.#stores.checkExists(caller, id)
        left.push(id)
      } catch (error) {
        if (!(error instanceof HttpError) || error.status !== 404) throw error
      }
    }
    return left
  }

  async #search(context: ToolContext, stores: string[], query: string): Promise<FoundPassage[]> {
    const { caller, signal, model, filter } = context
    const { limit, ...ranking } = optionsOf(context)
    const few = model.startsWith('gpt-3.5') ? defaultResultsOfSmallModels : defaultResults
    try {
      await this.#stores.waitUntilReady(caller, stores, { signal, timeoutMs: freshFilesMs })
      return await this.#stores.search(caller, stores, { query, limit: limit ?? few, ...ranking, filter, signal })
    } catch (error) {
      throw asFailure(error)
    }
  }
}

/** What a caller could have done something about ends the run with those words: a store has expired. */
function asFailure(error: unknown): unknown {
  if (!(error instanceof HttpError) || error.status >= 500) return error
  return new ToolFailure(error.message, error.status === 429 ? 'rate_limit_exceeded' : 'server_error')
}

type Options = Pick<SearchOptions, 'hybrid'> & { limit: number | undefined; minScore: number }

function optionsOf({ tool }: ToolContext): Options {
  const options = tool?.type === 'file_search' ? tool.file_search : undefined
  const { score_threshold: minScore = 0, hybrid_search: hybrid } = options?.ranking_options ?? {}
  return { limit: options?.max_num_results, minScore, hybrid }
}

function numbered(before: readonly Passage[], found: readonly FoundPassage[]): Passage[] {
  const search = (before.at(-1)?.search ?? -1) + 1
  return found.map((passage, place) => ({ ...passage, search, place }))
}

function outcome(context: ToolContext, found: readonly FoundPassage[], output: string): ToolOutcome {
  const call: StepToolCall = {
    id: context.callId,
    type: 'file_search',
    file_search: {
      ranking_options: { ranker, score_threshold: optionsOf(context).minScore },
      results: found.map(({ fileId, fileName, score, text }) => ({
        file_id: fileId,
        file_name: fileName,
        score: Math.min(1, Math.max(0, score)),
        content: [{ type: 'text', text }],
      })),
    },
  }
  const described = new Map(found.map(({ fileId, attributes = {} }) => [fileId, attributes]))
  return { call, output, passages: [], described, files: [], keepIn: async () => undefined }
}

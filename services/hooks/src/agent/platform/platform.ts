// The platform as the agent uses it, over its public interface: an assistant, threads, runs.
import type { Database } from '@atoll/kernel/db/database'
import OpenAI from 'openai'
import type { AssistantTool } from 'openai/resources/beta/assistants'
import type { Run } from 'openai/resources/beta/threads/runs/runs'
import type { AgentDefaults } from '../config.ts'
import type { ToolConfig } from '../tools/config.ts'
import { isMissing, PlatformRefused, platformProblem } from './problems.ts'
import { findAssistant, keepAssistant } from './store.ts'

const requestTimeoutMs = 60_000
/** What is safe to send twice is tried again. */
const readRetries = 2
const runsPerPage = 100
const maxPages = 20
const once = { maxRetries: 0 }
const assistantName = 'Atoll hooks'

export interface PlatformAddress {
  /** `http://127.0.0.1:8080` */
  url: string
  apiKey: string
  /** In the network's place, where it runs in this process. */
  fetch?: typeof fetch | undefined
}

export interface NewRun {
  turnId: string
  /** Counts the runs of a turn, from 1. */
  number: number
  messages: readonly string[]
  model: string
  instructions: string
  tools: AssistantTool[]
}

type Agent = Pick<AgentDefaults, 'model' | 'tools'>

export interface ToolOutput {
  tool_call_id: string
  output: string
}

export class Platform {
  readonly #client: OpenAI
  readonly #db: Database
  readonly #agent: Agent
  #assistant: string | undefined

  constructor(db: Database, address: PlatformAddress, agent: Agent) {
    const baseURL = `${address.url.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`
    this.#client = new OpenAI({
      ...{ apiKey: address.apiKey, baseURL, timeout: requestTimeoutMs, maxRetries: readRetries },
      ...{ organization: null, project: null, logLevel: 'off', fetch: address.fetch },
    })
    this.#db = db
    this.#agent = agent
  }

  /** `<provider>/<model>`: the platform may know it by that name, or by the part behind the slash. */
  async modelId(name: string): Promise<string> {
    const slash = name.indexOf('/')
    if (slash < 0) return name
    return this.#ask(async ({ models }) => {
      for await (const { id } of models.list()) if (id === name) return name
      return name.slice(slash + 1)
    })
  }

  async createThread(sessionId: string): Promise<string> {
    const metadata = { hooks_session: sessionId }
    return (await this.#ask(({ beta }) => beta.threads.create({ metadata }, once))).id
  }

  hasThread(threadId: string): Promise<boolean> {
    return this.#exists(({ beta }) => beta.threads.retrieve(threadId))
  }

  async deleteThread(threadId: string): Promise<void> {
    await this.#exists(({ beta }) => beta.threads.delete(threadId))
  }

  /** The message and the run are one commit there. */
  async createRun(threadId: string, run: NewRun): Promise<Run> {
    const assistant_id = await this.#assistantId()
    const model = await this.modelId(run.model)
    const { turnId, number, messages, instructions, tools } = run
    return this.#ask(({ beta }) =>
      beta.threads.runs.create(
        threadId,
        {
          ...{ assistant_id, model, instructions, tools },
          metadata: { hooks_turn: turnId, hooks_run: String(number) },
          additional_messages: messages.map((content) => ({ role: 'user', content })),
        },
        once,
      ),
    )
  }

  /** The run that was made for this turn, if the request for it ever arrived. */
  findRun(threadId: string, turnId: string, number: number): Promise<Run | undefined> {
    return this.#ask(async ({ beta }) => {
      let page = await beta.threads.runs.list(threadId, { order: 'desc', limit: runsPerPage })
      for (let pages = 1; ; pages++) {
        const found = page.data.find(({ metadata }) => isOf(metadata, turnId, number))
        if (found !== undefined || pages === maxPages || !page.hasNextPage()) return found
        page = await page.getNextPage()
      }
    })
  }

  getRun(threadId: string, runId: string): Promise<Run> {
    return this.#ask(({ beta }) => beta.threads.runs.retrieve(runId, { thread_id: threadId }))
  }

  /** False: it had ended already. */
  async cancelRun(threadId: string, runId: string): Promise<boolean> {
    try {
      await this.#ask(({ beta }) => beta.threads.runs.cancel(runId, { thread_id: threadId }, once))
      return true
    } catch (error) {
      if (error instanceof PlatformRefused) return false
      throw error
    }
  }

  async submit(threadId: string, runId: string, tool_outputs: ToolOutput[]): Promise<void> {
    await this.#ask(({ beta }) =>
      beta.threads.runs.submitToolOutputs(runId, { thread_id: threadId, tool_outputs }, once),
    )
  }

  /** What the run said, message by message. */
  texts(threadId: string, runId: string): Promise<string[]> {
    return this.#ask(async ({ beta }) => {
      const texts: string[] = []
      const list = beta.threads.messages.list(threadId, { run_id: runId, order: 'asc', limit: 100 })
      for await (const { role, content } of list) {
        if (role !== 'assistant') continue
        const parts = content.map((part) => {
          if (part.type === 'text') return part.text.value
          return part.type === 'refusal' ? part.refusal : ''
        })
        texts.push(parts.join('').trim())
      }
      return texts.filter((text) => text !== '')
    })
  }

  /** An anchor for runs, which bring everything else with them, but for the stores that files are searched in. */
  async #assistantId(): Promise<string> {
    const known = this.#assistant
    if (known !== undefined && (await this.#exists(({ beta }) => beta.assistants.retrieve(known)))) return known
    const settings = { name: assistantName, tool_resources: toolResources(this.#agent.tools) }
    const kept = await findAssistant(this.#db.queries)
    if (kept !== undefined && (await this.#exists(({ beta }) => beta.assistants.update(kept, settings)))) {
      this.#assistant = kept
      return kept
    }
    const model = await this.modelId(this.#agent.model)
    const { id } = await this.#ask(({ beta }) => beta.assistants.create({ ...settings, model }, once))
    await keepAssistant(this.#db.queries, id)
    this.#assistant = id
    return id
  }

  async #exists(call: (client: OpenAI) => Promise<unknown>): Promise<boolean> {
    try {
      await this.#ask(call)
      return true
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
  }

  async #ask<T>(call: (client: OpenAI) => Promise<T>): Promise<T> {
    try {
      return await call(this.#client)
    } catch (error) {
      throw platformProblem(error)
    }
  }
}

function isOf(metadata: Run['metadata'], turnId: string, number: number): boolean {
  return metadata?.hooks_turn === turnId && metadata.hooks_run === String(number)
}

function toolResources(tools: readonly ToolConfig[]) {
  const search = tools.find((tool) => tool.type === 'file_search')
  return { file_search: { vector_store_ids: search?.vectorStoreIds ?? [] } }
}

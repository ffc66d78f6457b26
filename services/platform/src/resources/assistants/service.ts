// Assistants of a project. What one does in a run is the runs' own business.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database, Queries, Tx } from '@atoll/kernel/db/database'
import type { PageQuery } from '@atoll/kernel/db/page'
import type { Ids } from '@atoll/kernel/ids/ids'
import { newObject } from '@atoll/kernel/ids/new-object'
import type { ProjectCaller } from '../../callers.ts'
import { type ListEnvelope, listPage } from '../../conventions/lists.ts'
import { assistantErrors } from '../../errors/assistants.ts'
import type { ModelCheck } from '../../inference/inference.ts'
import type { AssistantDeleted, AssistantObject, CreateAssistant, ToolResources, UpdateAssistant } from './schema.ts'
import * as store from './store.ts'
import { settleToolResources, type ToolResourceParts } from './tool-resources.ts'

interface Parts extends ToolResourceParts {
  db: Database
  ids: Ids
  clock: Clock
  inference: ModelCheck
}

type Settings = Omit<AssistantObject, 'id' | 'object' | 'created_at'>

const defaults: Omit<Settings, 'model'> = {
  name: null,
  description: null,
  instructions: null,
  tools: [],
  tool_resources: {},
  metadata: {},
  temperature: 1,
  top_p: 1,
  response_format: 'auto',
}

/** Runs in the transaction that makes or deletes the assistant. */
type AssistantHook = (tx: Tx, assistant: AssistantObject, caller: ProjectCaller) => Promise<unknown>

/** What the tools use from now on, worked out in the transaction that changes the assistant. */
type ResourceChange = (tx: Tx, before: AssistantObject) => Promise<ToolResources>

export class Assistants {
  readonly #parts: Parts
  readonly #deletionHooks: AssistantHook[] = []

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** What else goes with an assistant, in the same commit. */
  onDelete(hook: AssistantHook): void {
    this.#deletionHooks.push(hook)
  }

  /** `also` belongs in the same commit. */
  async create(caller: ProjectCaller, request: CreateAssistant, also?: AssistantHook): Promise<AssistantObject> {
    const { db, inference } = this.#parts
    const { model, tool_resources, ...sent } = request
    await inference.check(caller, model, 'chat', 'v1/assistants')
    const object = newObject(this.#parts, 'asst_')
    return db.transaction(async (tx) => {
      const resources = await settleToolResources(this.#parts, tx, caller, tool_resources ?? {})
      const settings = changed({ ...defaults, model, tool_resources: resources }, sent)
      const row = { ...object, project_id: caller.projectId, settings: JSON.stringify(settings) }
      await store.insertAssistant(tx, row)
      const made = present(row)
      await also?.(tx, made, caller)
      return made
    })
  }

  async get(caller: ProjectCaller, id: string): Promise<AssistantObject> {
    return present(await this.#find(this.#parts.db.queries, caller, id))
  }

  list(caller: ProjectCaller, page: PageQuery): Promise<ListEnvelope<AssistantObject>> {
    const { queries } = this.#parts.db
    return listPage(page, (query) => store.listAssistants(queries, caller.projectId, query), present)
  }

  /** The resources of a tool that is named are replaced, those of the other stay. AST-029 */
  async update(
    caller: ProjectCaller,
    id: string,
    request: UpdateAssistant,
    changeResources?: ResourceChange,
  ): Promise<AssistantObject> {
    const { db, inference } = this.#parts
    const { tool_resources: requested, ...sent } = request
    await this.get(caller, id)
    if (request.model !== undefined) await inference.check(caller, request.model, 'chat', 'v1/assistants')
    return db.transaction(async (tx) => {
      const row = await this.#find(tx, caller, id)
      const before: Settings = JSON.parse(row.settings)
      const tool_resources = changeResources ? await changeResources(tx, present(row)) : requested
      const named = tool_resources && (await settleToolResources(this.#parts, tx, caller, tool_resources))
      const resources = named && { ...before.tool_resources, ...named }
      const settings = JSON.stringify(changed(before, { ...sent, tool_resources: resources }))
      await store.changeSettings(tx, id, settings)
      return present({ ...row, settings })
    })
  }

  async delete(caller: ProjectCaller, id: string): Promise<AssistantDeleted> {
    await this.#parts.db.transaction(async (tx) => {
      const assistant = present(await this.#find(tx, caller, id))
      await store.deleteAssistant(tx, id)
      for (const hook of this.#deletionHooks) await hook(tx, assistant, caller)
    })
    return { id, object: 'assistant.deleted', deleted: true }
  }

  async #find(queries: Queries, caller: ProjectCaller, id: string): Promise<store.AssistantRow> {
    const row = await store.findAssistant(queries, caller.projectId, id)
    if (row === undefined) throw assistantErrors.noSuchAssistant(id)
    return row
  }
}

type Sent = { [Name in keyof Settings]?: Settings[Name] | null | undefined }

/** What is not sent keeps its value; `null` sets it back to what it is without. */
function changed(before: Settings, sent: Sent): Settings {
  const given = Object.entries(sent).filter(([, value]) => value !== undefined)
  const values = given.map(([name, value]) => [name, value ?? defaults[name as keyof typeof defaults]])
  return { ...before, ...Object.fromEntries(values) }
}

const present = ({ id, created_at, settings }: store.AssistantRow): AssistantObject => ({
  id,
  object: 'assistant',
  created_at,
  ...(JSON.parse(settings) as Settings),
})

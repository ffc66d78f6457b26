// The tools of a request, checked, and as the loop takes them.
import type { Making } from '@atoll/kernel/ids/new-object'
import type { FunctionTool } from '@atoll/models/chat'
import type { ProjectCaller } from '../../../callers.ts'
import { responseErrors } from '../../../errors/responses.ts'
import type { Inference } from '../../../inference/inference.ts'
import { type DeclaredChoice, type Hosted, LoopTools } from '../../../tool-loop/loop-tools.ts'
import type { McpServers } from '../../../tool-loop/mcp/servers.ts'
import type { HostedTool } from '../../../tool-loop/tools/hosted-tool.ts'
import { ImageGeneration } from '../../../tool-loop/tools/image-generation.ts'
import type { AssistantTool, ToolResources } from '../../assistants/schema.ts'
import type { KeptItem } from '../../conversations/items/kept-item.ts'
import type { Images } from '../../images/service.ts'
import type { SearchFilter } from '../../vector-stores/files/attributes/schema.ts'
import type { VectorStores } from '../../vector-stores/service.ts'
import type { ResponseSettings } from '../settings.ts'
import { knownTools, McpOffer } from './mcp/offer.ts'
import type { McpSecrets } from './mcp/secrets.ts'
import { functionsOf, type NamespacedName, namespacedNames } from './namespaces.ts'
import type { ResponseTool, ResponseToolChoice } from './schema.ts'

interface Parts extends Making {
  mcpServers: McpServers
  vectorStores: Pick<VectorStores, 'checkLive'>
  tools: readonly HostedTool[]
  images: Pick<Images, 'generate'>
  inference: Pick<Inference, 'resolve'>
}

export interface DeclaredTools {
  tools: LoopTools
  choice: DeclaredChoice
  resources: ToolResources
  filter: SearchFilter | undefined
  /** Functions of namespaces, by the names that the model calls them by. */
  namespaced: ReadonlyMap<string, NamespacedName>
  /** Where code runs. */
  containerId: string
  /** Servers whose tools are still to be added, once they are listed. */
  offers: readonly McpOffer[]
}

/** What the tools of a response are made of. */
export interface Declaring extends Settings {
  /** All that the conversation has. */
  history: readonly KeptItem[]
  secrets: McpSecrets
}

type Settings = Pick<ResponseSettings, 'tools' | 'tool_choice'>

/** More than any model chooses from. */
const maxNames = 512

/** What can be said of them without a look at anything else. */
export function checkTools({ tools, tool_choice: choice }: Settings): void {
  const names = tools.flatMap(namesOf)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) throw responseErrors.repeatedTool(repeated)
  if (names.length > maxNames) throw responseErrors.tooManyTools(maxNames)
  if (choice === 'required' && tools.length === 0) throw responseErrors.toolNotThere("'required'")
  if (typeof choice !== 'object') return
  const wanted: Named[] = choice.type === 'allowed_tools' ? choice.tools : [choice]
  for (const one of wanted) {
    if (!tools.some((tool) => isMeant(one, tool))) throw responseErrors.toolNotThere(`'${one.name ?? one.type}'`)
  }
}

export async function declaredTools(
  parts: Parts,
  caller: ProjectCaller,
  { tools, tool_choice, history, secrets }: Declaring,
): Promise<DeclaredTools> {
  const allowed = tools.filter((tool) => isAllowed(tool_choice, tool))
  const search = allowed.find((tool) => tool.type === 'file_search')
  const code = allowed.find((tool) => tool.type === 'code_interpreter')
  for (const id of search?.vector_store_ids ?? []) await parts.vectorStores.checkLive(caller, id)
  const resources = resourcesOf(search, code)
  const context = { caller, assistantResources: resources, threadResources: {} }
  const pictures = allowed.filter((tool) => tool.type === 'image_generation')
  const hosted = await Promise.all(pictures.map((tool) => imageTool(parts, caller, tool)))
  const loopTools = await LoopTools.of(allowed.flatMap(assistantTool), parts.tools, context)
  return {
    tools: loopTools.with(hosted),
    choice: choiceOf(tool_choice),
    resources,
    filter: search?.filters ?? undefined,
    namespaced: namespacedNames(allowed),
    containerId: code === undefined ? '' : containerOf(parts, code, history),
    offers: allowed.flatMap((tool) =>
      tool.type === 'mcp' ? [offerOf(parts, tool, { tool_choice, history, secrets })] : [],
    ),
  }
}

/** With the tools of all servers. */
export function withListed(declared: DeclaredTools): DeclaredTools {
  if (declared.offers.length === 0) return declared
  const taken = new Set(declared.tools.definitions().map(({ name }) => name))
  const hosted = declared.offers.flatMap((offer) => offer.hosted(taken))
  return { ...declared, tools: declared.tools.with(hosted) }
}

export async function closeOffers({ offers }: DeclaredTools): Promise<void> {
  await Promise.allSettled(offers.map((offer) => offer.close()))
}

type Mcp = Extract<ResponseTool, { type: 'mcp' }>

function offerOf({ mcpServers }: Parts, tool: Mcp, { tool_choice, history, secrets }: Omit<Declaring, 'tools'>) {
  const { server_label: label } = tool
  const client = mcpServers.clientOf(tool, secrets[label] ?? {})
  return new McpOffer({ client, tool, known: knownTools(history, label), chosen: chosenNames(tool_choice, tool) })
}

/** Of one server; undefined: all. */
function chosenNames(choice: ResponseToolChoice, tool: Mcp): string[] | undefined {
  if (typeof choice !== 'object' || choice.type !== 'allowed_tools') return undefined
  const named = choice.tools.filter((one) => isMeant(one, tool)).map(({ name }) => name)
  return named.includes(undefined) ? undefined : named.filter((name) => name !== undefined)
}

function namesOf(tool: ResponseTool): string[] {
  if (tool.type === 'function') return [tool.name]
  if (tool.type === 'namespace') return functionsOf(tool).map(({ name }) => name)
  return [tool.type === 'mcp' ? `mcp ${tool.server_label}` : tool.type]
}

interface Named {
  type: string
  name?: string | undefined
  server_label?: string | undefined
}

const isMeant = (named: Named, tool: ResponseTool): boolean =>
  named.type === tool.type &&
  ((tool.type !== 'function' && tool.type !== 'namespace') || named.name === tool.name) &&
  (tool.type !== 'mcp' || named.server_label === tool.server_label)

const isAllowed = (choice: ResponseToolChoice, tool: ResponseTool): boolean =>
  typeof choice !== 'object' || choice.type !== 'allowed_tools' || choice.tools.some((one) => isMeant(one, tool))

function choiceOf(choice: ResponseToolChoice): DeclaredChoice {
  if (typeof choice !== 'object') return choice
  if (choice.type === 'allowed_tools') return choice.mode
  if (choice.type === 'mcp') return { type: 'mcp', label: choice.server_label, tool: choice.name }
  return choice.type === 'function' ? { type: 'function', function: { name: choice.name } } : choice
}

type Search = Extract<ResponseTool, { type: 'file_search' }>
type Code = Extract<ResponseTool, { type: 'code_interpreter' }>

function resourcesOf(search: Search | undefined, code: Code | undefined): ToolResources {
  const files = typeof code?.container === 'object' ? (code.container.file_ids ?? []) : []
  return {
    ...(search === undefined ? {} : { file_search: { vector_store_ids: search.vector_store_ids } }),
    ...(code === undefined ? {} : { code_interpreter: { file_ids: files } }),
  }
}

/** In the words of runs; none where they have none. */
function assistantTool(tool: ResponseTool): AssistantTool[] {
  if (tool.type === 'function') return [{ type: 'function', function: functionOf(tool) }]
  if (tool.type === 'namespace') return functionsOf(tool).flatMap(assistantTool)
  if (tool.type === 'code_interpreter') return [{ type: tool.type }]
  if (tool.type === 'image_generation' || tool.type === 'mcp') return []
  const { score_threshold, hybrid_search } = tool.ranking_options ?? {}
  const ranking_options = { score_threshold: score_threshold ?? 0, ...(hybrid_search && { hybrid_search }) }
  const file_search = {
    ...(tool.max_num_results == null ? {} : { max_num_results: tool.max_num_results }),
    ranking_options,
  }
  return [{ type: tool.type, file_search }]
}

const defaultImageModel = 'dall-e-3'

async function imageTool(
  { images, inference }: Parts,
  caller: ProjectCaller,
  tool: Extract<ResponseTool, { type: 'image_generation' }>,
): Promise<Hosted> {
  const model = tool.model ?? defaultImageModel
  await inference.resolve(caller, model, 'drawing')
  const size = tool.size == null || tool.size === 'auto' ? '1024x1024' : tool.size
  const quality = tool.quality === 'high' || tool.quality === 'hd' ? 'hd' : undefined
  const hosted = new ImageGeneration(images, { model, size, quality })
  return { hosted, tool: undefined, definition: await hosted.definition() }
}

const functionOf = ({ name, description, parameters, strict }: Extract<ResponseTool, { type: 'function' }>) =>
  ({
    name,
    ...(description == null ? {} : { description }),
    ...(parameters == null ? {} : { parameters }),
    strict: strict ?? false,
  }) satisfies FunctionTool

/** A conversation goes on in the container it has used last. */
function containerOf(making: Making, { container }: Code, history: readonly KeptItem[]): string {
  if (typeof container === 'string') return container
  for (const { item } of history.toReversed()) if (item.type === 'code_interpreter_call') return item.container_id
  return making.ids.next('cntr_')
}

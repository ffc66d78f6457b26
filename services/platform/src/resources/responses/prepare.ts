// A response before it is worked on: checked, with all that the model is to read.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import { newObject } from '@atoll/kernel/ids/new-object'
import type { ChatMessage } from '@atoll/models/chat'
import type { ProjectCaller } from '../../callers.ts'
import { responseErrors } from '../../errors/responses.ts'
import type { Inference } from '../../inference/inference.ts'
import { answerFailure } from '../../tool-loop/failure.ts'
import type { InputFiles } from '../../tool-loop/input-files.ts'
import type { McpServers } from '../../tool-loop/mcp/servers.ts'
import type { HostedTool } from '../../tool-loop/tools/hosted-tool.ts'
import { type ApprovalRequest, Approvals } from '../conversations/items/approvals.ts'
import { chatMessages } from '../conversations/items/chat-messages.ts'
import type { KeptItem } from '../conversations/items/kept-item.ts'
import type { InputItem } from '../conversations/items/schema.ts'
import type { Items } from '../conversations/items/service.ts'
import type { Files } from '../files/service.ts'
import type { Images } from '../images/service.ts'
import type { VectorStores } from '../vector-stores/service.ts'
import { historyOf } from './history.ts'
import type { CountInputTokens, CreateResponse } from './schema.ts'
import { type ResponseSettings, settingsOf } from './settings.ts'
import type { ResponseHead } from './state.ts'
import { checkTools, type DeclaredTools, declaredTools } from './tools/declared-tools.ts'
import { type McpSecrets, type SecretBox, secretsOf } from './tools/mcp/secrets.ts'

export interface PrepareParts {
  db: Database
  ids: Ids
  clock: Clock
  items: Items
  inference: Inference
  files: Files
  inputFiles: InputFiles
  vectorStores: Pick<VectorStores, 'checkLive' | 'get'>
  tools: readonly HostedTool[]
  images: Pick<Images, 'generate'>
  mcpServers: McpServers
  secretBox: SecretBox
  contextLengths: Map<string, number>
  /** Throws when there is no such conversation, or it is in use. */
  checkConversation(caller: ProjectCaller, id: string): Promise<void>
}

export interface Prepared {
  caller: ProjectCaller
  head: ResponseHead
  /** New with this response. */
  input: KeptItem[]
  thread: ChatMessage[]
  declared: DeclaredTools
  /** Calls that the caller has approved, to be made before the model is asked. */
  approved: readonly ApprovalRequest[]
}

export async function prepare(
  parts: PrepareParts,
  caller: ProjectCaller,
  body: CreateResponse | CountInputTokens,
): Promise<Prepared> {
  const settings = settingsOf(body)
  checkTools(settings)
  await parts.inference.resolve(caller, settings.model, 'chat', 'v1/responses')
  const conversation_id = conversationOf(body)
  const previous_id = body.previous_response_id ?? null
  if (conversation_id !== null) await parts.checkConversation(caller, conversation_id)
  const isCut = settings.truncation === 'auto'
  const history = await historyOf(parts, caller, { previousId: previous_id, conversationId: conversation_id, isCut })
  const { id, created_at } = newObject(parts, 'resp_')
  const input = await parts.items.accept(caller, givenItems(body.input))
  const secrets = secretsOf(body.tools ?? [])
  if (settings.background) settings.sealedSecrets = await parts.secretBox.seal(secrets, id)
  const head = { id, created_at, previous_id, conversation_id, settings }
  const prepared = await assemble(parts, caller, { head, history, input, output: [], secrets })
  checkAsked(settings, prepared.thread)
  return prepared
}

/** The same once more, for one that was begun before. */
export async function prepareAgain(
  parts: PrepareParts,
  caller: ProjectCaller,
  head: ResponseHead,
  output: readonly KeptItem[],
): Promise<Prepared> {
  const { previous_id: previousId, conversation_id: conversationId, settings } = head
  const place = { previousId, conversationId, isCut: settings.truncation === 'auto', except: head.id }
  const history = await historyOf(parts, caller, place)
  const secrets = await parts.secretBox.open(settings.sealedSecrets, head.id)
  return assemble(parts, caller, { head, history, input: await parts.items.input(head.id), output, secrets })
}

interface Given {
  head: ResponseHead
  history: readonly KeptItem[]
  input: KeptItem[]
  output: readonly KeptItem[]
  secrets: McpSecrets
}

async function assemble(
  parts: PrepareParts,
  caller: ProjectCaller,
  { head, history, input, output, secrets }: Given,
): Promise<Prepared> {
  const { tools, tool_choice } = head.settings
  const said = [...history, ...input]
  const declaring = { tools, tool_choice, history: [...said, ...output], secrets }
  const declared = await declaredTools(parts, caller, declaring)
  const approved = new Approvals(said).toMake(input)
  for (const { server_label: label } of approved) {
    if (!declared.offers.some((offer) => offer.label === label)) throw responseErrors.approvedServerMissing(label)
  }
  const read = { files: parts.files, caller, readFile: parts.inputFiles.readFor(caller) }
  const thread = await chatMessages(said, read).catch(answerFailure)
  return { caller, head, input, thread, declared, approved }
}

function conversationOf({ conversation }: Pick<CreateResponse, 'conversation'>): string | null {
  if (conversation == null) return null
  return typeof conversation === 'string' ? conversation : conversation.id
}

function givenItems(input: CreateResponse['input']): readonly InputItem[] {
  if (input === undefined) return []
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input
}

function checkAsked({ instructions, text }: ResponseSettings, thread: readonly ChatMessage[]): void {
  if (thread.length === 0 && (instructions ?? '') === '') throw responseErrors.nothingAsked()
  if (text.format.type !== 'json_object') return
  const isAsked = /json/i.test(instructions ?? '') || thread.some(({ content }) => saysJson(content))
  if (!isAsked) throw responseErrors.noWordJson()
}

function saysJson(content: ChatMessage['content']): boolean {
  if (content == null) return false
  if (typeof content === 'string') return /json/i.test(content)
  return content.some((part) => part.type === 'text' && /json/i.test(part.text))
}

// Items as a model reads them: every call with its output right behind it, whatever lay between the two.
import type { ChatMessage, ImagePart, ToolCall } from '@atoll/models/chat'
import type { ProjectCaller } from '../../../callers.ts'
import { responseErrors } from '../../../errors/responses.ts'
import { imageOfFile, imageOfUrl } from '../../../tool-loop/images.ts'
import type { ReadFile } from '../../../tool-loop/input-files.ts'
import type { Files } from '../../files/service.ts'
import { Approvals } from './approvals.ts'
import { calledName } from './called-name.ts'
import type { KeptItem } from './kept-item.ts'
import type { Item, MessageItem, Part } from './schema.ts'

interface Parts {
  files: Pick<Files, 'content'>
  caller: ProjectCaller
  readFile: ReadFile
}

type Output = Extract<Item, { type: 'function_call_output' }>

/** Throws when a call has no output after it, or an output no call before it. */
export async function chatMessages(items: readonly KeptItem[], parts: Parts): Promise<ChatMessage[]> {
  const outputs = new Outputs(items)
  const approvals = new Approvals(items)
  const messages: ChatMessage[] = []
  for (let at = 0; at < items.length; at++) {
    const { item } = items[at] as KeptItem
    if (item.type === 'message') messages.push(await messageOf(item, parts))
    else if (item.type === 'function_call_output') outputs.checkUsed(item)
    else {
      const called = callsFrom(items, at, approvals)
      if (called.length === 0) continue
      addCalls(
        messages,
        called.map(({ call }) => call),
      )
      const pictures: ImagePart[] = []
      for (const { call, result } of called) {
        const content = result ?? (await outputText(outputs.take(call.id, at), parts, pictures))
        messages.push({ role: 'tool', tool_call_id: call.id, content })
      }
      // Models take pictures from users only.
      if (pictures.length > 0) messages.push({ role: 'user', content: pictures })
      at += called.length - 1
    }
  }
  return messages
}

/** By the ids of their calls, in their order: ids of other makers' models are not always unique. */
class Outputs {
  readonly #waiting = new Map<string, { item: Output; at: number }[]>()
  readonly #used = new Set<Item>()

  constructor(items: readonly KeptItem[]) {
    for (const [at, { item }] of items.entries()) {
      if (item.type !== 'function_call_output') continue
      const waiting = this.#waiting.get(item.call_id) ?? []
      this.#waiting.set(item.call_id, waiting)
      waiting.push({ item, at })
    }
  }

  take(callId: string, after: number): Output {
    const waiting = this.#waiting.get(callId) ?? []
    const index = waiting.findIndex(({ item, at }) => at > after && !this.#used.has(item))
    const found = waiting[index]
    if (found === undefined) throw responseErrors.noOutputForCall(callId)
    this.#used.add(found.item)
    return found.item
  }

  checkUsed(item: Output): void {
    if (!this.#used.has(item)) throw responseErrors.noCallForOutput(item.call_id)
  }
}

interface Called {
  call: ToolCall
  /** Absent: the caller's output has it. */
  result?: string
}

/** Calls that stand next to one another were made at once. */
function callsFrom(items: readonly KeptItem[], from: number, approvals: Approvals): Called[] {
  const calls: Called[] = []
  for (let at = from; at < items.length; at++) {
    const called = calledBy(items[at] as KeptItem, approvals)
    if (called === undefined) break
    calls.push(called)
  }
  return calls
}

function calledBy({ item, work }: KeptItem, approvals: Approvals): Called | undefined {
  if (item.type === 'function_call') {
    return { call: callOf(item.call_id, calledName(item.namespace, item.name), item.arguments) }
  }
  // A search before the first question is no call of the model's.
  if (work?.output !== undefined && work.turn !== 0) {
    return { call: callOf(work.callId, work.name, work.arguments), result: work.output }
  }
  if (item.type === 'mcp_call') {
    return { call: callOf(item.id, item.name, item.arguments), result: item.output ?? 'The call has failed.' }
  }
  if (item.type === 'mcp_approval_request') {
    const result = approvals.withoutCall(item.id)
    return result === undefined ? undefined : { call: callOf(item.id, item.name, item.arguments), result }
  }
  return undefined
}

const callOf = (id: string, name: string, args: string): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})

/** Calls that follow words are part of the same answer. */
function addCalls(messages: ChatMessage[], tool_calls: ToolCall[]): void {
  const last = messages.at(-1)
  if (last?.role === 'assistant' && last.tool_calls === undefined) last.tool_calls = tool_calls
  else messages.push({ role: 'assistant', content: null, tool_calls })
}

/** Its pictures are added to those that are shown after all outputs. */
async function outputText({ output }: Output, parts: Parts, pictures: ImagePart[]): Promise<string> {
  if (typeof output === 'string') return output
  const texts: string[] = []
  for (const part of output) {
    if (part.type === 'input_image') {
      pictures.push(await imageOf(part, parts))
      texts.push('[The picture follows.]')
    } else texts.push(part.type === 'input_file' ? await parts.readFile(part) : part.text)
  }
  return texts.join('\n')
}

async function messageOf({ role, content }: MessageItem, parts: Parts): Promise<ChatMessage> {
  if (role === 'assistant') return { role, content: plainText(content) }
  if (role !== 'user') return { role, content: plainText(await withFilesRead(content, parts)) }
  const only = content.length === 1 ? content[0] : undefined
  if (only?.type === 'input_text') return { role, content: only.text }
  const read: Extract<ChatMessage, { role: 'user' }>['content'] = []
  for (const part of content) {
    if (part.type === 'input_image') read.push(await imageOf(part, parts))
    else if (part.type === 'input_audio') read.push(part)
    else if (part.type === 'input_file') read.push({ type: 'text', text: await parts.readFile(part) })
    else read.push({ type: 'text', text: partText(part) })
  }
  return { role, content: read }
}

async function withFilesRead(content: readonly Part[], { readFile }: Parts): Promise<Part[]> {
  const read: Part[] = []
  for (const part of content) {
    read.push(part.type === 'input_file' ? { type: 'input_text', text: await readFile(part) } : part)
  }
  return read
}

async function imageOf(part: Extract<Part, { type: 'input_image' }>, { files, caller }: Parts): Promise<ImagePart> {
  const detail = part.detail === 'low' || part.detail === 'high' ? part.detail : undefined
  if (part.file_id != null) return imageOfFile(files, caller, part.file_id, detail)
  if (part.image_url == null) throw responseErrors.emptyImage()
  return imageOfUrl(part.image_url, detail)
}

/** Images and files of an assistant are named, since models take none from it. */
export const plainText = (content: readonly Part[]): string => content.map(partText).filter(Boolean).join('\n')

function partText(part: Part): string {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return part.text
    case 'refusal':
      return part.refusal
    case 'input_image':
      return `[image ${part.file_id ?? ''}]`
    case 'input_audio':
      return '[audio]'
    case 'input_file':
      return `[file ${part.filename ?? part.file_id ?? ''}]`
  }
}

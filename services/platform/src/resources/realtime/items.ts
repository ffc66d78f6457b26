// The items of a conversation as a session holds them, and as events show them.
import type { Clip } from './audio/formats.ts'

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

/** A stretch of an answer that was spoken, and when it sounds. */
export interface SpokenPiece {
  text: string
  startMs: number
  endMs: number
}

/** Sound that the user spoke. */
export interface HeardPart {
  type: 'input_audio'
  ms: number
  /** As it came; dropped when a session holds too much. */
  clips: Clip[]
  /** Null until it is known. */
  transcript: string | null
  /** Settles when the transcript is known; absent while nobody has asked for it. */
  understood?: Promise<void>
}

export interface SpokenPart {
  type: 'audio'
  transcript: string
  ms: number
  pieces: SpokenPiece[]
}

export type Part = { type: 'input_text'; text: string } | { type: 'text'; text: string } | HeardPart | SpokenPart

interface Head {
  id: string
  status: ItemStatus
}
export interface MessageItem extends Head {
  type: 'message'
  role: 'user' | 'assistant' | 'system'
  content: Part[]
}
export interface CallItem extends Head {
  type: 'function_call'
  call_id: string
  name: string
  arguments: string
}
export interface OutputItem extends Head {
  type: 'function_call_output'
  call_id: string
  output: string
}
export type Item = MessageItem | CallItem | OutputItem

/** Without sound: it is long, and whoever spoke it has it. AST-196 */
export function shownItem(item: Item): object {
  const { id, type, status, ...rest } = item
  const head = { id, object: 'realtime.item', type, status }
  if (item.type !== 'message') return { ...head, ...rest }
  return { ...head, role: item.role, content: item.content.map(shownPart) }
}

export function shownPart(part: Part): object {
  if (part.type === 'input_audio' || part.type === 'audio') return { type: part.type, transcript: part.transcript }
  return { type: part.type, text: part.text }
}

/** With the sound of what the user said, as far as it is still held. */
export function retrievedItem(item: Item): object {
  if (item.type !== 'message') return shownItem(item)
  const content = item.content.map((part) => {
    if (part.type !== 'input_audio' || part.clips.length === 0) return shownPart(part)
    return { ...shownPart(part), audio: Buffer.concat(part.clips.map(({ bytes }) => bytes)).toString('base64') }
  })
  return { ...shownItem(item), content }
}

/** For the limit on a conversation; sound has one of its own. */
export function lettersOf(item: Item): number {
  if (item.type === 'function_call') return item.arguments.length + item.name.length
  if (item.type === 'function_call_output') return item.output.length
  return item.content.reduce((sum, part) => sum + ('text' in part ? part.text : (part.transcript ?? '')).length, 0)
}

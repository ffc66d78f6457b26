// Turns what a sender wrote into an action: required and default values, limits, words about what is wrong.
// The same for the direct endpoints and for what mappings make. Unknown fields are passed over.
import { randomUUIDv7 } from 'node:crypto'
import { type AgentAction, type ChannelKind, channelKinds, type WakeAction, type WakeMode } from '../actions.ts'
import { ActionProblem } from '../ports.ts'

type Raw = Record<string, unknown>

/** In characters. What goes into a prompt may be as long as a body; names and addresses may not. */
const maxNameLength = 200
const maxKeyLength = 256
const maxAddressLength = 1_000
const maxModelLength = 200
const maxThinkingLength = 50

const channels: readonly string[] = ['last', ...channelKinds]

export function wakeAction(raw: Raw): WakeAction {
  return { kind: 'wake', text: required(raw, 'text'), mode: wakeMode(raw, 'mode') }
}

/** `newSessionKey` where the sender gives none: a conversation of its own (HOOK-044). */
export function agentAction(raw: Raw, newSessionKey: () => string = randomSessionKey): AgentAction {
  const to = optional(raw, 'to', maxAddressLength)
  const model = optional(raw, 'model', maxModelLength)
  if (model === undefined && raw.model !== undefined && raw.model !== null) throw new ActionProblem('model required')
  const thinking = optional(raw, 'thinking', maxThinkingLength)
  const seconds = timeoutSeconds(raw)
  return {
    kind: 'agent',
    message: required(raw, 'message'),
    name: optional(raw, 'name', maxNameLength) ?? 'Hook',
    sessionKey: optional(raw, 'sessionKey', maxKeyLength) ?? newSessionKey(),
    wakeMode: wakeMode(raw, 'wakeMode'),
    deliver: isDelivered(raw),
    channel: channel(raw),
    ...(to === undefined ? {} : { to }),
    ...(model === undefined ? {} : { model }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(seconds === undefined ? {} : { timeoutSeconds: seconds }),
  }
}

/** Keys that begin with the time are neighbours in the indexes: a commit of many changes a few pages, not some of each. */
const randomSessionKey = (): string => `hook:${randomUUIDv7()}`

/** Without what databases and terminals cannot hold. */
const cleaned = (text: string): string => text.replaceAll('\0', '').toWellFormed().trim()

function textOf(raw: Raw, field: string): string {
  const value = raw[field]
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw new ActionProblem(`${field} must be a string`) // HOOK-085
  return cleaned(value)
}

function required(raw: Raw, field: string): string {
  const text = textOf(raw, field)
  if (text === '') throw new ActionProblem(`${field} required`)
  return text
}

/** Blank is as good as not given. */
function optional(raw: Raw, field: string, maxLength: number): string | undefined {
  const text = textOf(raw, field)
  if (text.length > maxLength) throw new ActionProblem(`${field} may have ${maxLength} characters at most`)
  return text === '' ? undefined : text
}

function wakeMode(raw: Raw, field: string): WakeMode {
  const mode = textOf(raw, field)
  if (mode === '' || mode === 'now') return 'now'
  if (mode === 'next-heartbeat') return mode
  throw new ActionProblem(`${field} must be now|next-heartbeat`)
}

function isDelivered({ deliver }: Raw): boolean {
  if (deliver === undefined || deliver === null) return true
  if (typeof deliver !== 'boolean') throw new ActionProblem('deliver must be a boolean')
  return deliver
}

function channel(raw: Raw): 'last' | ChannelKind {
  const { channel: value = 'last' } = raw
  const name = value === null ? 'last' : typeof value === 'string' ? value.trim().toLowerCase() : ''
  if (!channels.includes(name)) throw new ActionProblem(`channel must be ${channels.join('|')}`)
  return name as 'last' | ChannelKind
}

/** What is no positive number sets no limit of its own; a wrong type is told. */
function timeoutSeconds({ timeoutSeconds: value }: Raw): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number') throw new ActionProblem('timeoutSeconds must be a number')
  return Number.isFinite(value) && value > 0 ? Math.max(1, Math.floor(value)) : undefined
}

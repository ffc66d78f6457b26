// From a message of the socket to an event that is known and well-formed.

import { parseJson } from '@atoll/kernel/http/body/json-body'
import { defaultBounds } from '@atoll/kernel/http/json/bounds'
import { checkInput } from '@atoll/kernel/http/validation/validation'
import { kernelErrors } from '../../errors/errors.ts'
import { realtimeErrors } from '../../errors/realtime.ts'
import { type ClientEvent, clientEvents } from './client-events.ts'

const maxTypeLetters = 100

export type RawEvent = Record<string, unknown> & { type: string }

export async function readMessage(data: Buffer): Promise<unknown> {
  try {
    return await parseJson(data, defaultBounds, kernelErrors)
  } catch {
    throw realtimeErrors.notJson()
  }
}

/** AST-132, AST-174 */
export function rawEvent(value: unknown): RawEvent {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw realtimeErrors.notAnObject()
  const { type } = value as Record<string, unknown>
  if (typeof type !== 'string') throw realtimeErrors.noType()
  return value as RawEvent
}

export function clientEvent(event: RawEvent): ClientEvent {
  if (!Object.hasOwn(clientEvents, event.type)) {
    throw realtimeErrors.unknownType(event.type.slice(0, maxTypeLetters), Object.keys(clientEvents))
  }
  const schema = clientEvents[event.type as keyof typeof clientEvents]
  return checkInput(schema, event, 'body', kernelErrors) as ClientEvent
}

/** Of an event that may be anything. */
export function eventIdOf(value: unknown): string | null {
  const id = (value as { event_id?: unknown } | null | undefined)?.event_id
  return typeof id === 'string' ? id.slice(0, 512) : null
}

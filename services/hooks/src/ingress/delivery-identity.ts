// What makes a delivery the same as an earlier one: what its sender calls it, or what was signed.
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { NewDelivery } from '../deliveries/acceptance.ts'
import * as errors from '../errors.ts'
import { pubSubId } from '../mappings/envelopes.ts'
import type { FoundMapping } from '../ports.ts'
import type { Sender } from './sender.ts'

const headerNames = ['idempotency-key', 'webhook-id', 'x-github-delivery'] as const
const maxKeyLength = 256

interface Asked {
  payload: Record<string, unknown>
  body: Buffer
  mapping: FoundMapping | undefined
}

export function deliveryIdentity(
  headers: IncomingHttpHeaders,
  { payload, body, mapping }: Asked,
  { key, nonce, isEvent }: Sender,
): Pick<NewDelivery, 'key' | 'nonce' | 'fingerprint'> {
  const given = key ?? idempotencyKey(headers, payload)
  const pushed = mapping === undefined ? undefined : pubSubId(payload)
  // What is sent again may count the attempts in its body: then the name that was signed, or given, says it all.
  if (isEvent) return { key: given, nonce, fingerprint: digest(`event ${nonce}`) }
  if (given === undefined && pushed === undefined && nonce === undefined) return { fingerprint: '' }
  if (given !== undefined || pushed === undefined) return { key: given, nonce, fingerprint: digest(body) }
  return { key: `pubsub:${pushed}`, nonce, fingerprint: digest(`pubsub ${pushed}`) }
}

const digest = (content: string | Buffer): string => hash('sha256', content, 'base64url')

function idempotencyKey(headers: IncomingHttpHeaders, payload: Record<string, unknown>): string | undefined {
  for (const name of headerNames) {
    const key = headers[name]
    if (typeof key === 'string' && key !== '') return checked(key, name)
  }
  const { idempotencyKey: key } = payload
  if (key === undefined || key === null || key === '') return undefined
  if (typeof key !== 'string') throw errors.invalidBody('idempotencyKey must be a string')
  return checked(key, 'idempotencyKey')
}

function checked(key: string, name: string): string {
  if (key.length > maxKeyLength) throw errors.invalidBody(`${name} may have ${maxKeyLength} characters at most`)
  return key
}

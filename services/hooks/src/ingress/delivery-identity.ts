// What a sender calls a delivery: the same name again is the same delivery.
import type { IncomingHttpHeaders } from 'node:http'
import * as errors from '../errors.ts'

const headerNames = ['idempotency-key', 'webhook-id', 'x-github-delivery'] as const
const maxKeyLength = 256

export function idempotencyKey(headers: IncomingHttpHeaders, payload: Record<string, unknown>): string | undefined {
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

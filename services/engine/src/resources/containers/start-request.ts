// What may come with a request to start a container.
import { invalidParameter } from '../../errors.ts'
import { parseDetachKeys } from '../../streams/detach-keys.ts'
import type { HostConfig } from './schema.ts'

interface StartQuery {
  detachKeys?: string | undefined
  checkpoint?: string | undefined
  'checkpoint-dir'?: string | undefined
}

/** ENG-301: settings of the host. The version layer lets them through for callers before 1.24 alone. */
export function startBodyOf(query: StartQuery, body: HostConfig | null | undefined): HostConfig | undefined {
  if (query.checkpoint || query['checkpoint-dir'])
    throw invalidParameter('checkpoints are not supported by this engine')
  const isEmpty = body == null || Object.values(body).every((value) => value === undefined)
  return isEmpty ? undefined : body
}

/** For clients that attached before the start and named none. Undefined: the request names none either. */
export function detachKeysOf({ detachKeys }: StartQuery): readonly number[] | undefined {
  if (!detachKeys) return undefined
  const keys = parseDetachKeys(detachKeys)
  if (keys === undefined) throw invalidParameter(`Invalid detach keys (${detachKeys}) provided`)
  return keys
}

// What may come with a request to start a container.
import { invalidParameter } from '../../errors.ts'
import type { HostConfig } from './schema.ts'

interface StartQuery {
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

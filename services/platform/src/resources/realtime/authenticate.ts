// Who opens a session: by the Authorization header, or in browsers, which cannot set one, by a subprotocol.
import type { IncomingHttpHeaders } from 'node:http'
import type { RequestHead } from '@atoll/kernel/http/route'
import type { RealtimeCaller } from '../../callers.ts'
import { readCredentials } from '../../identity/credentials.ts'
import type { Identity } from '../../identity/identity.ts'
import { type ClientSecrets, clientKeyPrefix } from './client-secrets/service.ts'
import { offeredProtocols } from './dialects/choose-dialect.ts'

const headerOfProtocol: [prefix: string, header: string][] = [
  ['openai-insecure-api-key.', 'authorization'],
  ['openai-organization.', 'openai-organization'],
  ['openai-project.', 'openai-project'],
]

/** As if all of it had come in headers; a header wins. */
function withProtocols(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const told: IncomingHttpHeaders = {}
  for (const offered of offeredProtocols(headers)) {
    const [prefix, header] = headerOfProtocol.find(([start]) => offered.startsWith(start)) ?? []
    if (prefix === undefined || header === undefined) continue
    const value = offered.slice(prefix.length)
    told[header] = header === 'authorization' ? `Bearer ${value}` : value
  }
  return { ...told, ...headers }
}

export const realtimeAuthenticate =
  (identity: Pick<Identity, 'authenticate'>, secrets: ClientSecrets) =>
  async ({ headers }: Pick<RequestHead, 'headers'>): Promise<RealtimeCaller> => {
    const told = { headers: withProtocols(headers) }
    const { secret } = readCredentials(told.headers)
    return secret.startsWith(clientKeyPrefix) ? secrets.callerOf(secret) : identity.authenticate(told, 'project')
  }

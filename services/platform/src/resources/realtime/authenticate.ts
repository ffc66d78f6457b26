// Who opens a session: by the Authorization header, or in browsers, which cannot set one, by a subprotocol. Pages of the
// console say that they are that, and name their project: their cookie stands for a key.
import type { IncomingHttpHeaders } from 'node:http'
import type { RequestHead } from '@atoll/kernel/http/route'
import type { ProjectCaller, RealtimeCaller } from '../../callers.ts'
import { readCredentials } from '../../identity/credentials.ts'
import type { Identity } from '../../identity/identity.ts'
import { type ClientSecrets, clientKeyPrefix } from './client-secrets/service.ts'
import { offeredProtocols } from './dialects/choose-dialect.ts'

const headerOfProtocol: [prefix: string, header: string][] = [
  ['openai-insecure-api-key.', 'authorization'],
  ['openai-organization.', 'openai-organization'],
  ['openai-project.', 'openai-project'],
]

export interface ConsoleSessions {
  /** Throws for pages of other sites, and for whoever is not logged in or may not act in the project. */
  callerOf(head: RequestHead, projectId: string): Promise<ProjectCaller>
  /** How often it is asked again while a realtime session goes on. */
  recheckMs: number
}

const consoleProtocol = 'atoll-console'

/** Undefined for clients that are no page of the console. */
export function consoleProjectOf(headers: IncomingHttpHeaders): string | undefined {
  const told = withProtocols(headers)
  if (told.authorization !== undefined || !offeredProtocols(headers).includes(consoleProtocol)) return undefined
  return String(told['openai-project'] ?? '')
}

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
  (identity: Pick<Identity, 'authenticate'>, secrets: ClientSecrets, sessions: ConsoleSessions) =>
  async (head: RequestHead): Promise<RealtimeCaller> => {
    const { headers } = head
    const project = consoleProjectOf(headers)
    if (project !== undefined) return sessions.callerOf(head, project)
    const told = { headers: withProtocols(headers) }
    const { secret } = readCredentials(told.headers)
    return secret.startsWith(clientKeyPrefix) ? secrets.callerOf(secret) : identity.authenticate(told, 'project')
  }

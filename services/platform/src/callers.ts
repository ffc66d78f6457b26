// Who may call the platform. `auth` of a route names one of these kinds.
import { routeDefiner } from '@atoll/kernel/http/route'
import type { SessionFields, SessionKind } from './resources/realtime/schema.ts'

export type OrganizationRole = 'owner' | 'member' | 'reader'
export type ProjectRole = 'owner' | 'member'

interface KeyHolder {
  organizationId: string
  /** Of the key itself, `key_…`, never the secret; of a console session that was opened by a link, its own. */
  keyId: string
  /** Of the console session that stands for the key; absent when the key itself was sent. */
  sessionId?: string
}

/** Holder of an ordinary key, acting in exactly one project. */
export interface ProjectCaller extends KeyHolder {
  kind: 'project'
  projectId: string
  keyKind: 'project' | 'user' | 'service_account'
  /** One of the two: a person's key or a bot's. */
  actor: { type: 'user'; id: string } | { type: 'service_account'; id: string }
  /** A service account is never an owner of the organization. */
  organizationRole: OrganizationRole
  projectRole: ProjectRole
}

/** Holder of an admin key: administration only. */
export interface AdminCaller extends KeyHolder {
  kind: 'admin'
  userId: string
}

/** Who opens a realtime session: with an ordinary key, or with a short-lived one that was made for a session. */
export interface RealtimeCaller extends ProjectCaller {
  /** What the short-lived key is bound to. */
  session?: { kind: SessionKind; model: string; settings: SessionFields }
}

export interface PlatformCallers {
  public: null
  project: ProjectCaller
  admin: AdminCaller
  realtime: RealtimeCaller
}

export const defineRoute = routeDefiner<PlatformCallers>()

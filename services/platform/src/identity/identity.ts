// Identity put together: who is calling, and the services that change it.
import type { RequestHead } from '@atoll/kernel/http/route'
import type { AdminCaller } from '../callers.ts'
import type { Actor } from './actor.ts'
import { createAuthenticate, createRecall } from './authenticate.ts'
import { CallerCache } from './caller-cache.ts'
import { type Changes, createChanges, identityChanged, Turns } from './changes.ts'
import { readScope } from './credentials.ts'
import { invitesService } from './invites/service.ts'
import { adminKeysService } from './keys/admin-keys.ts'
import { holderOfSecret } from './keys/holder.ts'
import { projectKeysService, userKeysService } from './keys/service.ts'
import { LastUsed } from './last-used.ts'
import { organizationsService } from './organizations/service.ts'
import type { IdentityParts } from './parts.ts'
import { projectMembersService } from './project-members/service.ts'
import { projectsService } from './projects/service.ts'
import { resolveAdminKey, resolveInProject, resolveOwner, resolveProjectKey } from './resolve-caller.ts'
import { serviceAccountsService } from './service-accounts/service.ts'
import { usersService } from './users/service.ts'

export type Identity = ReturnType<typeof createIdentity>

const services = (parts: IdentityParts, changes: Changes) => ({
  organizations: organizationsService(parts, changes),
  users: usersService(parts, changes),
  projects: projectsService(parts, changes),
  projectMembers: projectMembersService(parts, changes),
  serviceAccounts: serviceAccountsService(parts, changes),
  projectKeys: projectKeysService(parts, changes),
  userKeys: userKeysService(parts, changes),
  adminKeys: adminKeysService(parts, changes),
  invites: invitesService(parts, changes),
})

export function createIdentity(parts: IdentityParts) {
  const cache = new CallerCache(parts.clock)
  const lastUsed = new LastUsed(parts.db, parts.log)
  const forget = () => cache.clear()
  const unsubscribe = parts.events.subscribe(identityChanged, forget)
  const stopWatching = parts.events.onGap(forget)
  const turns = new Turns(parts.db)
  /** The same services; what they change is on record as the actor's doing. */
  const as = (actor: Actor) => services(parts, createChanges({ ...parts, invalidate: forget, turns }, actor))
  return {
    ...as({ type: 'system' }),
    as,
    authenticate: createAuthenticate({ db: parts.db, clock: parts.clock, cache, lastUsed }),
    recall: createRecall({ clock: parts.clock, cache, lastUsed }),
    /** Who acts in place of an admin key: undefined once the key, or its holder's right to it, has ended. */
    adminOfKey: (keyId: string, { headers }: Pick<RequestHead, 'headers'>) =>
      resolveAdminKey(parts.db.queries, keyId, readScope(headers)),
    /** Who acts in place of an ordinary key: undefined once the key, or what it is for, has ended. */
    projectOfKey: (keyId: string, scope: { organization: string; project: string | undefined }) =>
      resolveProjectKey(parts.db.queries, keyId, scope),
    /** Who acts for an owner that needs no key here: undefined for everybody else. */
    ownerOf: (owner: Omit<AdminCaller, 'kind'>) => resolveOwner(parts.db.queries, owner),
    /** The same person acting in a project: undefined where the project is not there, archived or not theirs. */
    inProject: (admin: AdminCaller, projectId: string) => resolveInProject(parts.db.queries, admin, projectId),
    /** To whom something done with this secret is put down. */
    holderOf: (secret: string) => holderOfSecret(parts.db.queries, secret),
    /** Writes now when keys were last used, instead of within the minute. */
    flushLastUsed: () => lastUsed.flush(),
    /** Before the database closes. */
    async close(): Promise<void> {
      unsubscribe()
      stopWatching()
      await lastUsed.close()
    },
  }
}

// Identity put together: who is calling, and the services that change it.
import { createAuthenticate } from './authenticate.ts'
import { CallerCache } from './caller-cache.ts'
import { createChanges, identityChanged } from './changes.ts'
import { adminKeysService } from './keys/admin-keys.ts'
import { projectKeysService, userKeysService } from './keys/service.ts'
import { LastUsed } from './last-used.ts'
import { organizationsService } from './organizations/service.ts'
import type { IdentityParts } from './parts.ts'
import { projectMembersService } from './project-members/service.ts'
import { projectsService } from './projects/service.ts'
import { serviceAccountsService } from './service-accounts/service.ts'
import { usersService } from './users/service.ts'

export type Identity = ReturnType<typeof createIdentity>

export function createIdentity(parts: IdentityParts) {
  const cache = new CallerCache(parts.clock)
  const lastUsed = new LastUsed(parts.db, parts.log)
  const forget = () => cache.clear()
  const unsubscribe = parts.events.subscribe(identityChanged, forget)
  const stopWatching = parts.events.onGap(forget)
  const changes = createChanges(parts.db, parts.events, forget)
  return {
    authenticate: createAuthenticate({ db: parts.db, clock: parts.clock, cache, lastUsed }),
    organizations: organizationsService(parts, changes),
    users: usersService(parts, changes),
    projects: projectsService(parts, changes),
    projectMembers: projectMembersService(parts, changes),
    serviceAccounts: serviceAccountsService(parts, changes),
    projectKeys: projectKeysService(parts, changes),
    userKeys: userKeysService(parts, changes),
    adminKeys: adminKeysService(parts, changes),
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

// Identity on a database of a test's own, with a clock that stands still.
import { auditMigrations } from '@atoll/kernel/audit/migrations'
import { ManualClock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { Migration } from '@atoll/kernel/db/migration'
import type { Events } from '@atoll/kernel/events/events'
import { createInProcessEvents } from '@atoll/kernel/events/in-process'
import { createIds } from '@atoll/kernel/ids/ids'
import type { OpenDatabase } from '@atoll/testkit/both-databases'
import { silentLog } from '@atoll/testkit/silent-log'
import { onTestFinished } from 'vitest'
import { AuditLog } from '../../audit/audit-log.ts'
import { auditMigration } from '../../migrations/0014-audit.ts'
import { identityChanged } from '../changes.ts'
import { createIdentity, type Identity } from '../identity.ts'
import { identityMigrations } from '../migrations.ts'
import type { IdentityParts } from '../parts.ts'
import { IdentityProblem, type IdentityProblemDetail } from '../problems.ts'

export const firstPage = { limit: 20, order: 'asc' as const }

export interface Fixture extends IdentityParts {
  clock: ManualClock
  identity: Identity
}

/** All that identity writes to. */
export const identityTables: Migration[] = [...auditMigrations, ...identityMigrations, auditMigration]

export const openIdentity = async (open: OpenDatabase): Promise<Fixture> => identityOn(await open(identityTables))

/** `parts` may bring its own events or log. */
export function identityOn(db: Database, parts: Partial<IdentityParts> = {}): Fixture {
  const clock = new ManualClock()
  const ids = createIds(clock)
  const all = {
    db,
    ids,
    audit: new AuditLog({ db, clock, ids }),
    log: silentLog,
    events: createInProcessEvents(db, silentLog),
    ...parts,
    clock,
  }
  const identity = createIdentity(all)
  onTestFinished(() => identity.close())
  return { ...all, identity }
}

/** An organization of Ada's, with its Default project and a key of hers for it. */
export async function foundAcme(identity: Identity) {
  const { organization, owner, defaultProject } = await identity.organizations.create('Acme', {
    name: 'Ada',
    email: 'ada@example.com',
  })
  const key = await identity.projectKeys.create(organization.id, defaultProject.id, { userId: owner.id, name: 'first' })
  return { organizationId: organization.id, ada: owner, defaultProject, secret: key.secret, keyId: key.id }
}

export const bearer = (secret: string, headers: Record<string, string> = {}) => ({
  headers: { authorization: `Bearer ${secret}`, ...headers },
})

/** Resolves when `count` changes of identity, from now on, have been told to this node. */
export const changesHeard = (events: Events, count: number): Promise<void> =>
  new Promise((resolve) => {
    let left = count
    const stop = events.subscribe(identityChanged, () => {
      left -= 1
      if (left > 0) return
      stop()
      resolve()
    })
  })

/** What was refused, or undefined when nothing was. */
export async function problemOf(work: Promise<unknown>): Promise<IdentityProblemDetail | undefined> {
  try {
    await work
  } catch (error) {
    if (error instanceof IdentityProblem) return error.detail
    throw error
  }
  return undefined
}

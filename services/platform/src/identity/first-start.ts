// The first start makes an organization with all it takes to send a request; every start takes in the operator's keys.
import type { Database, Queries, Tx } from '@atoll/kernel/db/database'
import type { Making } from '@atoll/kernel/ids/new-object'
import { AuditLog } from '../audit/audit-log.ts'
import type { Change } from '../audit/change.ts'
import { createdKey } from './keys/created.ts'
import { type IssuedKey, issueKey, type KeyHolder } from './keys/issue.ts'
import { digestOf, maxSecretLength, sameDigest } from './keys/secret.ts'
import { findKeyByDigest, isRevoked } from './keys/store.ts'
import { foundOrganization } from './organizations/service.ts'
import { findOldestOrganization } from './organizations/store.ts'
import { requireDefaultProject } from './projects/project.ts'
import { findTwoOwners } from './users/store.ts'

/** Of ATOLL_API_KEY and ATOLL_ADMIN_KEY. */
export interface GivenKeys {
  apiKey?: string | undefined
  adminKey?: string | undefined
}

export interface FirstIdentity {
  /** Whether this call made the first organization. */
  created: boolean
  /** New secrets to print, this once. Absent for keys that were given: whoever gave them knows them. */
  apiKey?: string
  adminKey?: string
  /** What the operator should read: a given key that was taken in or could not be. */
  notes: string[]
}

interface Parts extends Making {
  db: Database
}

/** A given key cannot be used; the message says which and why, and never the key. */
export class GivenKeyError extends Error {
  override readonly name = 'GivenKeyError'
}

/** Safe when several nodes start at once on one database: exactly one creates. */
export async function ensureFirstIdentity(parts: Parts, given: GivenKeys = {}): Promise<FirstIdentity> {
  checkGivenKeys(given)
  if (!(await findOldestOrganization(parts.db.queries))) {
    const first = await createFirst(parts, given)
    if (first) return first
  }
  return { created: false, notes: await adoptKeys(parts, given) }
}

async function createFirst({ db, ...making }: Parts, given: GivenKeys): Promise<FirstIdentity | undefined> {
  try {
    return await db.transaction(async (tx) => {
      if (await findOldestOrganization(tx)) return undefined
      const owner = { name: 'Owner', email: 'owner@localhost' }
      const { organization, owner: user, defaultProject } = await foundOrganization(tx, making, 'Personal', owner)
      const holder = { organizationId: organization.id, projectId: defaultProject.id, userId: user.id }
      const apiKey = await issueKey(tx, making, { kind: 'project', ...holder }, names.apiKey, given.apiKey)
      const { projectId: _, ...adminHolder } = holder
      const adminKey = await issueKey(tx, making, { kind: 'admin', ...adminHolder }, names.adminKey, given.adminKey)
      return {
        created: true,
        notes: [],
        ...newSecret('apiKey', apiKey, given),
        ...newSecret('adminKey', adminKey, given),
      }
    })
  } catch (error) {
    // Another node may have been quicker: then there is an organization now, and all is well.
    if (await findOldestOrganization(db.queries)) return undefined
    throw error
  }
}

const newSecret = (which: keyof GivenKeys, key: IssuedKey, given: GivenKeys) =>
  given[which] === undefined ? { [which]: key.secret } : {}

const names = { apiKey: 'First key', adminKey: 'First admin key' }
const variables = { apiKey: 'ATOLL_API_KEY', adminKey: 'ATOLL_ADMIN_KEY' } as const
const usable = /^[\x21-\x7e]+$/

function checkGivenKeys(given: GivenKeys): void {
  for (const which of ['apiKey', 'adminKey'] as const) {
    const secret = given[which]
    if (secret === undefined || (secret.length <= maxSecretLength && usable.test(secret))) continue
    throw new GivenKeyError(
      `${variables[which]} must have 1 to ${maxSecretLength} printable ASCII characters and no spaces.`,
    )
  }
  if (given.apiKey === undefined || given.adminKey === undefined) return
  if (!sameDigest(digestOf(given.apiKey), digestOf(given.adminKey))) return
  throw new GivenKeyError(
    'ATOLL_API_KEY and ATOLL_ADMIN_KEY must differ: a key is either ordinary or for administration.',
  )
}

/**
 * A given key that is not known yet becomes one more key of the oldest organization: automation that sets the
 * variable on an existing database, or changes it to rotate the key, works instead of being refused on every request.
 * The keys before it stay valid until deleted. A key that was deleted is never taken in again, or a restart with the
 * old environment would undo the deletion.
 */
async function adoptKeys(parts: Parts, given: GivenKeys): Promise<string[]> {
  const notes: string[] = []
  for (const which of ['apiKey', 'adminKey'] as const) {
    const secret = given[which]
    const note = secret === undefined ? undefined : await adoptKey(parts, which, secret)
    if (note !== undefined) notes.push(note)
  }
  return notes
}

async function adoptKey({ db, ...making }: Parts, which: keyof GivenKeys, secret: string): Promise<string | undefined> {
  // Most starts bring a key that is known, and write nothing.
  if (await isKnown(db.queries, which, secret)) return undefined
  if (await isRevoked(db.queries, digestOf(secret))) {
    return `${variables[which]} was deleted earlier and stays invalid. Set it to another key, or leave it out.`
  }
  const audit = new AuditLog({ db, ...making })
  try {
    await db.transaction(async (tx) => {
      if (await isKnown(tx, which, secret)) return
      const holder = await adopter(tx, which)
      const { id } = await issueKey(tx, making, holder, `Taken from ${variables[which]}`, secret)
      const project = holder.kind === 'project' ? { projectId: holder.projectId } : {}
      const change: Change = { type: 'api_key.created', ...project, details: createdKey(id, holder.kind) }
      await audit.record(tx, { type: 'system' }, holder.organizationId, change)
    })
  } catch (error) {
    // Another node may have been quicker with the same key.
    if (!(await isKnown(db.queries, which, secret))) throw error
  }
  return `${variables[which]} was not known yet and is a valid key from now on.`
}

async function isKnown(queries: Queries, which: keyof GivenKeys, secret: string): Promise<boolean> {
  const key = await findKeyByDigest(queries, digestOf(secret))
  if (!key) return false
  if ((key.kind === 'admin') === (which === 'adminKey')) return true
  throw new GivenKeyError(
    `${variables[which]} is already in use as ${key.kind === 'admin' ? 'an admin' : 'an ordinary'} key. Set it to another key.`,
  )
}

async function adopter(tx: Tx, which: keyof GivenKeys): Promise<KeyHolder & { kind: 'project' | 'admin' }> {
  const organization = await findOldestOrganization(tx)
  if (!organization) throw new Error('There is no organization to give a key to.')
  const [owner] = await findTwoOwners(tx, organization.id)
  if (!owner) throw new Error(`Organization ${organization.id} has no owner.`)
  const holder = { organizationId: organization.id, userId: owner.user_id }
  if (which === 'adminKey') return { kind: 'admin', ...holder }
  const project = await requireDefaultProject(tx, organization.id)
  return { kind: 'project', ...holder, projectId: project.id }
}

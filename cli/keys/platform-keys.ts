// Keys of the organization that runs this server, for whoever owns its data: made and ended by the identity service, so
// that every change is on record and holds at once.
import type { Kernel } from '@atoll/kernel/kernel'
import type { Identity } from '@atoll/platform/identity/identity'
import { findOldestOrganization } from '@atoll/platform/identity/organizations/store'
import { findTwoOwners } from '@atoll/platform/identity/users/store'
import { CommandProblem } from '../command-problem.ts'
import type { KeptKey, KeyKeeper, MadeKey, NewKey } from './key.ts'

const pageSize = 100

interface Page<Row> {
  rows: Row[]
  hasMore: boolean
}

interface Owned {
  organizationId: string
  userId: string
}

export class PlatformKeys implements KeyKeeper {
  readonly #kernel: Pick<Kernel, 'db'>
  readonly #identity: Identity

  constructor(kernel: Pick<Kernel, 'db'>, identity: Identity) {
    this.#kernel = kernel
    this.#identity = identity
  }

  async list(): Promise<KeptKey[]> {
    const { organizationId } = await this.#owned()
    const { adminKeys, projectKeys } = this.#identity
    const admin = await every((page) => adminKeys.list(organizationId, page))
    const keys: KeptKey[] = admin.map((key) => ({ kind: 'admin', ...shownOf(key) }))
    for (const project of await this.#projects(organizationId)) {
      const found = await every((page) => projectKeys.list(organizationId, project.id, page))
      for (const key of found) {
        const kind = key.owner.type === 'user' ? 'project' : 'service account'
        keys.push({ kind, ...shownOf(key), project: project.name })
      }
    }
    return keys
  }

  async create({ kind, project, name = 'From the command line' }: NewKey): Promise<MadeKey> {
    const { organizationId, userId } = await this.#owned()
    const identity = this.#as(userId)
    if (kind === 'admin') return made(kind, await identity.adminKeys.create(organizationId, { userId, name }))
    const found = await this.#project(organizationId, project)
    const key = await identity.projectKeys.create(organizationId, found.id, { userId, name })
    return { ...made(kind, key), project: found.name }
  }

  /** The new one first: whoever is interrupted has two, not none. */
  async replace(id: string): Promise<MadeKey> {
    const { kind, name, project } = await this.#find(id)
    if (kind !== 'project' && kind !== 'admin') throw ofServiceAccount(id)
    const fresh = await this.create({ kind, name, ...(project === undefined ? {} : { project }) })
    await this.remove(id)
    return fresh
  }

  async remove(id: string): Promise<void> {
    const { organizationId, userId } = await this.#owned()
    const { kind, project } = await this.#find(id)
    if (kind === 'service account') throw ofServiceAccount(id)
    const { adminKeys, projectKeys } = this.#as(userId)
    if (kind === 'admin') await adminKeys.remove(organizationId, id)
    else await projectKeys.remove(organizationId, (await this.#project(organizationId, project)).id, id)
  }

  async #find(id: string): Promise<KeptKey> {
    const found = (await this.list()).find((key) => key.id === id)
    if (found === undefined) throw new CommandProblem(`there is no key ${id}; ./atoll keys lists them.`)
    return found
  }

  /** As the audit log tells it: an owner, from this machine's own command line. */
  #as(userId: string) {
    return this.#identity.as({ type: 'session', userId, address: null, userAgent: 'atoll keys' })
  }

  async #owned(): Promise<Owned> {
    const { queries } = this.#kernel.db
    const organization = await findOldestOrganization(queries)
    const [owner] = organization === undefined ? [] : await findTwoOwners(queries, organization.id)
    if (organization && owner) return { organizationId: organization.id, userId: owner.user_id }
    throw new CommandProblem('there is no organization yet: start the platform once with ./atoll up.')
  }

  #projects(organizationId: string) {
    return every((page) => this.#identity.projects.list(organizationId, { ...page, includeArchived: false }))
  }

  async #project(organizationId: string, asked: string | undefined) {
    const projects = await this.#projects(organizationId)
    const isAsked = (project: (typeof projects)[number]) =>
      asked === undefined ? project.isDefault : project.id === asked || project.name === asked
    const found = projects.find(isAsked)
    if (found !== undefined) return found
    throw new CommandProblem(`there is no project ${asked}; there are ${projects.map(({ name }) => name).join(', ')}.`)
  }
}

const ofServiceAccount = (id: string): CommandProblem =>
  new CommandProblem(
    `${id} is the key of a service account and ends with it: ./atoll org delete-service-account, create-service-account.`,
  )

interface Shown {
  id: string
  name: string
  redactedValue: string
  createdAt: number
  lastUsedAt: number | null
}

const shownOf = ({ id, name, redactedValue, createdAt, lastUsedAt }: Shown) => ({
  ...{ id, name, shown: redactedValue },
  ...{ created_at: createdAt, last_used_at: lastUsedAt },
})

const made = (kind: 'project' | 'admin', { id, secret }: { id: string; secret: string }) => ({ kind, id, secret })

async function every<Row extends { id: string }>(
  list: (page: { limit: number; order: 'asc'; after?: string }) => Promise<Page<Row>>,
): Promise<Row[]> {
  const all: Row[] = []
  for (;;) {
    const last = all.at(-1)
    const page = await list({ limit: pageSize, order: 'asc', ...(last === undefined ? {} : { after: last.id }) })
    all.push(...page.rows)
    if (!page.hasMore) return all
  }
}

// One of everything that administration can name, in an organization of its own or one that is there.
import type { Identity } from '../../../../identity/identity.ts'

/** By the name of the path parameter; two kinds of keys share one. */
export interface Objects {
  organizationId: string
  project_id: string
  user_id: string
  /** In the organization, and not yet in the project. */
  newcomer: string
  service_account_id: string
  key_id: string
  admin_key_id: string
  invite_id: string
  rate_limit_id: string
}

export interface Owner {
  organizationId: string
  userId: string
}

let made = 0

export async function makeObjects(identity: Identity, { organizationId, userId }: Owner): Promise<Objects> {
  made += 1
  const tag = `matrix-${made}`
  const person = (name: string) =>
    identity.users.add(organizationId, { name, email: `${name}-${tag}@example.com`, role: 'member' })
  const project = await identity.projects.create(organizationId, { name: tag, creatorId: userId })
  const [member, newcomer] = [await person('member'), await person('newcomer')]
  await identity.projectMembers.add(organizationId, project.id, { userId: member.id, role: 'member' })
  const holder = { userId: member.id, name: tag }
  const bot = await identity.serviceAccounts.create(organizationId, project.id, tag)
  const key = await identity.projectKeys.create(organizationId, project.id, holder)
  const adminKey = await identity.adminKeys.create(organizationId, { userId, name: tag })
  const wanted = { email: `${tag}@example.com`, role: 'member' as const, projects: [] }
  const invite = await identity.invites.send(organizationId, wanted)
  return {
    organizationId,
    project_id: project.id,
    user_id: member.id,
    newcomer: newcomer.id,
    service_account_id: bot.account.id,
    key_id: key.id,
    admin_key_id: adminKey.id,
    invite_id: invite.id,
    rate_limit_id: 'rl-gpt-4o-mini',
  }
}

/** Ids of the right form that nobody has. */
export const absentObjects = (like: Objects): Objects => ({
  organizationId: like.organizationId,
  project_id: absent(like.project_id),
  user_id: absent(like.user_id),
  newcomer: absent(like.newcomer),
  service_account_id: absent(like.service_account_id),
  key_id: absent(like.key_id),
  admin_key_id: absent(like.admin_key_id),
  invite_id: absent(like.invite_id),
  rate_limit_id: 'rl-absent',
})

const absent = (id: string): string => id.slice(0, -15) + 'z'.repeat(15)

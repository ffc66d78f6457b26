// The people of an organization from the command line: who is in, what they may do, who is invited.
import type { InviteObject, SentInviteObject } from '@atoll/platform/resources/organization/invites/schema'
import type { UserObject } from '@atoll/platform/resources/organization/users/schema'
import { telling } from '../command-problem.ts'
import { show, timeText } from '../table.ts'
import { confirm } from './confirm.ts'
import { findProject, findUser } from './lookup.ts'
import { type ServerFlags, serverFrom } from './server-from.ts'

export type ListFlags = ServerFlags & { json?: boolean }
export type SureFlags = ServerFlags & { yes?: boolean }

export const when = (seconds: number | null): string => (seconds === null ? '-' : timeText(seconds * 1000))

export const listUsers = (flags: ListFlags): Promise<void> =>
  telling(async () => {
    show(await serverFrom(flags, process.env).all<UserObject>('/organization/users'), {
      ...flags,
      titles: ['ID', 'EMAIL', 'NAME', 'ROLE', 'ADDED'],
      row: ({ id, email, name, role, added_at }) => [id, email, name, role, when(added_at)],
      none: 'There are no users.',
    })
  })

export const setRole = (which: string, role: string, flags: ServerFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    const { id, email } = await findUser(server, which)
    const changed = await server.send<UserObject>(`/organization/users/${id}`, { method: 'POST', body: { role } })
    console.log(`${email} is ${changed.role} now.`)
  })

export const removeUser = (which: string, flags: SureFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    const { id, email } = await findUser(server, which)
    await confirm(`Remove ${email} from the organization and end all their keys?`, flags.yes)
    await server.send(`/organization/users/${id}`, { method: 'DELETE' })
    console.log(`${email} is removed, and their keys have ended.`)
  })

interface InviteFlags extends ServerFlags {
  role: string
  project: string[]
  json?: boolean
}

export const invite = (email: string, flags: InviteFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    const projects = []
    for (const which of flags.project) projects.push({ id: (await findProject(server, which)).id, role: 'member' })
    const body = { email, role: flags.role, ...(projects.length === 0 ? {} : { projects }) }
    const sent = await server.send<SentInviteObject>('/organization/invites', { method: 'POST', body })
    if (flags.json) return console.log(JSON.stringify(sent, null, 2))
    console.log(`${sent.email} is invited as ${sent.role}, until ${when(sent.expires_at)} (${sent.id}).`)
    console.log('Send them this line. Its token is shown only this once, and works once:\n')
    console.log(`  ./atoll invite accept ${sent.accept_token}`)
  })

export const listInvites = (flags: ListFlags): Promise<void> =>
  telling(async () => {
    show(await serverFrom(flags, process.env).all<InviteObject>('/organization/invites'), {
      ...flags,
      titles: ['ID', 'EMAIL', 'ROLE', 'STATUS', 'INVITED', 'EXPIRES'],
      row: ({ id, email, role, status, invited_at, expires_at }) => [
        ...[id, email, role, status],
        ...[when(invited_at), when(expires_at)],
      ],
      none: 'Nobody is invited. To invite somebody: ./atoll org invite EMAIL',
    })
  })

export const deleteInvite = (id: string, flags: ServerFlags): Promise<void> =>
  telling(async () => {
    await serverFrom(flags, process.env).send(`/organization/invites/${encodeURIComponent(id)}`, { method: 'DELETE' })
    console.log(`Invite ${id} is deleted; its token is worth nothing now.`)
  })

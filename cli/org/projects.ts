// Projects from the command line, and who works in them.
import type { ProjectObject } from '@atoll/platform/resources/organization/projects/schema'
import type { ProjectUserObject } from '@atoll/platform/resources/organization/projects/users/schema'
import { telling } from '../command-problem.ts'
import { show } from '../table.ts'
import { confirm } from './confirm.ts'
import { findProject, findUser } from './lookup.ts'
import { type ListFlags, type SureFlags, when } from './people.ts'
import { type ServerFlags, serverFrom } from './server-from.ts'

export const listProjects = (flags: ListFlags & { archived?: boolean }): Promise<void> =>
  telling(async () => {
    const query = flags.archived ? { include_archived: 'true' } : {}
    show(await serverFrom(flags, process.env).all<ProjectObject>('/organization/projects', query), {
      ...flags,
      titles: ['ID', 'NAME', 'STATUS', 'CREATED', 'ARCHIVED'],
      row: ({ id, name, status, created_at, archived_at }) => [id, name, status, when(created_at), when(archived_at)],
      none: 'There are no projects.',
    })
  })

export const createProject = (name: string, flags: ServerFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    const made = await server.send<ProjectObject>('/organization/projects', { method: 'POST', body: { name } })
    console.log(`Project ${made.name} (${made.id}) is there.`)
    console.log(`For a key of it: ./atoll org create-service-account ${made.id} NAME`)
  })

export const renameProject = (which: string, name: string, flags: ServerFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    const { id } = await findProject(server, which)
    const renamed = await server.send<ProjectObject>(`/organization/projects/${id}`, { method: 'POST', body: { name } })
    console.log(`Project ${id} is named ${renamed.name} now.`)
  })

export const archiveProject = (which: string, flags: SureFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    const { id, name } = await findProject(server, which)
    await confirm(`Archive project ${name} (${id}) for good and end all its keys?`, flags.yes)
    await server.send(`/organization/projects/${id}/archive`, { method: 'POST' })
    console.log(`Project ${name} (${id}) is archived, and its keys have ended.`)
  })

export const listProjectUsers = (which: string, flags: ListFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    const { id } = await findProject(server, which)
    show(await server.all<ProjectUserObject>(`/organization/projects/${id}/users`), {
      ...flags,
      titles: ['ID', 'EMAIL', 'NAME', 'ROLE', 'ADDED'],
      row: (user) => [user.id, user.email, user.name, user.role, when(user.added_at)],
      none: `Nobody is in the project. To add somebody: ./atoll org add-user ${id} EMAIL`,
    })
  })

export const addProjectUser = (which: string, who: string, flags: ServerFlags & { role: string }): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    const project = await findProject(server, which)
    const user = await findUser(server, who)
    const body = { user_id: user.id, role: flags.role }
    await server.send(`/organization/projects/${project.id}/users`, { method: 'POST', body })
    console.log(`${user.email} is ${flags.role} of project ${project.name} now.`)
  })

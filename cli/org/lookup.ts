// People and projects by what a person calls them: an e-mail address, a name, or an id.
import { nearestName } from '@atoll/kernel/config/nearest-name'
import type { ProjectObject } from '@atoll/platform/resources/organization/projects/schema'
import type { UserObject } from '@atoll/platform/resources/organization/users/schema'
import { CommandProblem } from '../command-problem.ts'
import type { OrgServer } from './org-server.ts'

export async function findUser(server: OrgServer, which: string): Promise<UserObject> {
  const users = await server.all<UserObject>('/organization/users')
  const wanted = which.toLowerCase()
  const found = users.find(({ id, email }) => id === which || email === wanted)
  if (found !== undefined) return found
  throw new CommandProblem(
    `there is no user ${which} in the organization; ${hint(
      which,
      users.map(({ email }) => email),
    )}`,
  )
}

/** An archived one by its id alone: its name may have a new bearer. */
export async function findProject(server: OrgServer, which: string): Promise<ProjectObject> {
  const projects = await server.all<ProjectObject>('/organization/projects', { include_archived: 'true' })
  const byId = projects.find(({ id }) => id === which)
  if (byId !== undefined) return byId
  const active = projects.filter(({ status }) => status === 'active')
  const [found, another] = active.filter(({ name }) => name === which)
  if (another !== undefined) {
    const ids = active.filter(({ name }) => name === which).map(({ id }) => id)
    throw new CommandProblem(`several projects are named ${which}; say which by its id: ${ids.join(', ')}`)
  }
  if (found !== undefined) return found
  throw new CommandProblem(
    `there is no project ${which}; ${hint(
      which,
      active.map(({ name }) => name),
    )}`,
  )
}

const maxNamed = 10

function hint(wrong: string, names: string[]): string {
  const nearest = nearestName(wrong, names)
  if (nearest !== undefined) return `did you mean ${nearest}?`
  return `there is ${names.slice(0, maxNamed).join(', ')}${names.length > maxNamed ? ' and more' : ''}`
}

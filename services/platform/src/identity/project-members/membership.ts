// What a place in a project is, and how to get and lose one inside a transaction.
import { unixSeconds } from '@atoll/kernel/clock/clock'
import type { Queries, Tx } from '@atoll/kernel/db/database'
import { listPosition, type Making } from '@atoll/kernel/ids/new-object'
import type { ProjectRole } from '../../callers.ts'
import { isIdText } from '../names.ts'
import { problems } from '../problems.ts'
import { deleteAllProjectMemberships, findProjectMember, insertProjectMember, type MemberRow } from './store.ts'

/** A user as one project sees it. */
export interface ProjectUser {
  id: string
  name: string
  email: string
  role: ProjectRole
  addedAt: number
}

export const projectUserOf = (row: MemberRow): ProjectUser => ({
  id: row.id,
  name: row.name,
  email: row.email,
  role: row.role,
  addedAt: row.added_at,
})

/** Returns the time of joining. */
export async function joinProject(
  tx: Tx,
  making: Making,
  projectId: string,
  userId: string,
  role: ProjectRole,
): Promise<number> {
  const addedAt = unixSeconds(making.clock)
  const joined = await insertProjectMember(tx, {
    project_id: projectId,
    user_id: userId,
    position: listPosition(userId),
    role,
    created_at: addedAt,
  })
  if (!joined) throw problems.alreadyMember('project', userId)
  return addedAt
}

export const leaveAllProjects = deleteAllProjectMemberships

export async function requireProjectUser(queries: Queries, projectId: string, userId: string): Promise<ProjectUser> {
  const row = isIdText(userId) ? await findProjectMember(queries, projectId, userId) : undefined
  if (!row) throw problems.notFound('project_member', userId)
  return projectUserOf(row)
}

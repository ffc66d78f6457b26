// What an invite is, and what an invited person gets.
import type { OrganizationRole, ProjectRole } from '../../callers.ts'
import type { InviteRow } from './store.ts'

export interface InvitedProject {
  id: string
  role: ProjectRole
}

export interface NewInvite {
  email: string
  role: OrganizationRole
  /** Beside the Default one. */
  projects: InvitedProject[]
}

export interface Invite extends NewInvite {
  id: string
  status: 'pending' | 'accepted' | 'expired'
  invitedAt: number
  expiresAt: number
  acceptedAt: number | null
}

export const inviteOf = (row: InviteRow, now: number): Invite => ({
  id: row.id,
  email: row.email,
  role: row.role,
  projects: JSON.parse(row.projects) as InvitedProject[],
  status: row.accepted_at !== null ? 'accepted' : row.expires_at <= now ? 'expired' : 'pending',
  invitedAt: row.created_at,
  expiresAt: row.expires_at,
  acceptedAt: row.accepted_at,
})

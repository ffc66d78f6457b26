// What may be told of a key: everything but its secret.
import type { OrganizationRole, ProjectRole } from '../../callers.ts'
import type { AdminKeyRow } from './admin-key-rows.ts'
import type { ProjectKeyRow } from './project-key-rows.ts'
import type { ApiKeyRow } from './store.ts'

export interface Key {
  id: string
  name: string
  redactedValue: string
  createdAt: number
  lastUsedAt: number | null
}

export type KeyOwner =
  | { type: 'user'; user: { id: string; name: string; email: string; role: ProjectRole; createdAt: number } }
  | { type: 'service_account'; serviceAccount: { id: string; name: string; role: ProjectRole; createdAt: number } }

export interface ProjectKey extends Key {
  owner: KeyOwner
}

export const keyOf = (row: Pick<ApiKeyRow, 'id' | 'name' | 'hint' | 'created_at' | 'last_used_at'>): Key => ({
  id: row.id,
  name: row.name,
  redactedValue: row.hint,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
})

export interface AdminKey extends Key {
  holder: { id: string; name: string; role: OrganizationRole; createdAt: number }
}

export const adminKeyOf = (row: AdminKeyRow): AdminKey => ({
  ...keyOf(row),
  holder: { id: row.user_id, name: row.user_name, role: row.organization_role, createdAt: row.user_created_at },
})

export const projectKeyOf = (row: ProjectKeyRow): ProjectKey => ({ ...keyOf(row), owner: ownerOf(row) })

function ownerOf(row: ProjectKeyRow): KeyOwner {
  if (row.account_id !== null) {
    const serviceAccount = {
      id: row.account_id,
      name: row.account_name ?? '',
      role: row.account_role ?? 'member',
      createdAt: row.account_created_at ?? 0,
    }
    return { type: 'service_account', serviceAccount }
  }
  const user = {
    id: row.user_id ?? '',
    name: row.user_name ?? '',
    email: row.user_email ?? '',
    role: row.organization_role === 'owner' ? ('owner' as const) : (row.project_role ?? 'member'),
    createdAt: row.user_created_at ?? 0,
  }
  return { type: 'user', user }
}

// Who may call. Every route names the permission that it takes as its `auth`, so that a caller without it is refused
// before anything of the request is read: 401 and 403 tell nothing about what exists.
import { routeDefiner } from '@atoll/kernel/http/route'
import type { Permission } from './identity/roles.ts'
import type { Role } from './identity/schema.ts'

export interface ClusterUser {
  uid: number
  name: string
  email: string
  role: Role
  permissions: ReadonlySet<Permission>
}

/** `any_user`: logged in, with whatever role. `anyone`: logging in itself. */
export type ClusterCallers = Record<Permission | 'any_user', ClusterUser> & { anyone: null }

export const defineRoute = routeDefiner<ClusterCallers>()

// What each role may do. Names are those of the documented permissions.
import * as errors from '../errors.ts'
import { type Role, roles } from './schema.ts'

const viewers: readonly Role[] = ['db_viewer', 'db_member', 'cluster_viewer', 'cluster_member', 'user_manager', 'admin']
const members: readonly Role[] = ['db_member', 'cluster_member', 'admin']
const userManagers: readonly Role[] = ['user_manager', 'admin']
const admins: readonly Role[] = ['admin']

const holders = {
  view_cluster_info: viewers,
  view_cluster_modules: viewers,
  view_all_nodes_info: viewers,
  view_node_info: viewers,
  view_all_bdbs_info: viewers,
  view_bdb_info: viewers,
  view_all_shard_stats: viewers,
  view_shard_stats: viewers,
  view_endpoint_stats: viewers,
  view_all_proxies_info: viewers,
  view_proxy_info: viewers,
  view_status_of_cluster_action: viewers,
  view_logged_events: viewers.filter((role) => role !== 'db_viewer'),
  create_bdb: members,
  update_bdb: members,
  update_bdb_with_action: members,
  delete_bdb: members,
  edit_bdb_module: members,
  failover_shard: members,
  view_all_users_info: userManagers,
  view_user_info: userManagers,
  create_new_user: userManagers,
  update_user: userManagers,
  delete_user: userManagers,
  /** Upload and deletion of modules too. */
  update_cluster: admins,
  cancel_cluster_action: admins,
  /** Atoll's own: who did what. */
  view_audit: admins,
} satisfies Record<string, readonly Role[]>

export type Permission = keyof typeof holders

const permissions = Object.keys(holders) as Permission[]

const byRole = new Map(
  roles.map((role): [Role, ReadonlySet<Permission>] => [
    role,
    new Set(permissions.filter((permission) => (holders[permission] as readonly Role[]).includes(role))),
  ]),
)

export const permissionsOf = (role: Role): ReadonlySet<Permission> => byRole.get(role) ?? new Set()

/** For what only the handler can decide. */
export function requirePermission(
  caller: { role: Role; permissions: ReadonlySet<Permission> },
  needed: Permission,
): void {
  if (!caller.permissions.has(needed)) throw errors.forbidden(caller.role, needed)
}

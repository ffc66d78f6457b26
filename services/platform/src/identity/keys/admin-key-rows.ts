// The admin keys of an organization together with their holders, as lists show them.
import type { Queries } from '@atoll/kernel/db/database'
import { type Page, type PageQuery, selectPage } from '@atoll/kernel/db/page'

const adminKeyRows = (queries: Queries, organizationId: string) =>
  queries
    .selectFrom((from) =>
      from
        .selectFrom('api_keys as stored')
        .innerJoin('users as person', 'person.id', 'stored.user_id')
        .innerJoin('organization_members as place', (join) =>
          join
            .onRef('place.organization_id', '=', 'stored.organization_id')
            .onRef('place.user_id', '=', 'stored.user_id'),
        )
        .where('stored.organization_id', '=', organizationId)
        .where('stored.kind', '=', 'admin')
        .select([
          'stored.id as id',
          'stored.position as position',
          'stored.name as name',
          'stored.hint as hint',
          'stored.created_at as created_at',
          'stored.last_used_at as last_used_at',
          'person.id as user_id',
          'person.name as user_name',
          'person.created_at as user_created_at',
          'place.role as organization_role',
        ])
        .as('admin_key'),
    )
    .selectAll()

export type AdminKeyRow = NonNullable<Awaited<ReturnType<typeof findAdminKey>>>

export const findAdminKey = (queries: Queries, organizationId: string, id: string) =>
  adminKeyRows(queries, organizationId).where('id', '=', id).executeTakeFirst()

export const pageOfAdminKeys = (
  queries: Queries,
  organizationId: string,
  query: PageQuery,
): Promise<Page<AdminKeyRow>> => selectPage(adminKeyRows(queries, organizationId), query)

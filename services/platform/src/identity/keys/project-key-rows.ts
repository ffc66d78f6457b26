// The keys of a project together with their owners, as lists show them.
import type { Queries } from '@atoll/kernel/db/database'
import { type Page, type PageQuery, selectPage } from '@atoll/kernel/db/page'

const projectKeyRows = (queries: Queries, projectId: string) =>
  queries
    .selectFrom((from) =>
      from
        .selectFrom('api_keys as stored')
        .leftJoin('users as person', 'person.id', 'stored.user_id')
        .leftJoin('organization_members as place', (join) =>
          join
            .onRef('place.organization_id', '=', 'stored.organization_id')
            .onRef('place.user_id', '=', 'stored.user_id'),
        )
        .leftJoin('project_members as seat', (join) =>
          join.onRef('seat.project_id', '=', 'stored.project_id').onRef('seat.user_id', '=', 'stored.user_id'),
        )
        .leftJoin('service_accounts as account', 'account.id', 'stored.service_account_id')
        .where('stored.project_id', '=', projectId)
        // An admin key is none of a project's, even where an early start wrote one beside it.
        .where('stored.kind', '!=', 'admin')
        .select([
          'stored.id as id',
          'stored.position as position',
          'stored.kind as kind',
          'stored.name as name',
          'stored.hint as hint',
          'stored.created_at as created_at',
          'stored.last_used_at as last_used_at',
          'person.id as user_id',
          'person.name as user_name',
          'person.email as user_email',
          'person.created_at as user_created_at',
          'place.role as organization_role',
          'seat.role as project_role',
          'account.id as account_id',
          'account.name as account_name',
          'account.role as account_role',
          'account.created_at as account_created_at',
        ])
        .as('project_key'),
    )
    .selectAll()

export type ProjectKeyRow = NonNullable<Awaited<ReturnType<typeof findProjectKey>>>

export const findProjectKey = (queries: Queries, projectId: string, id: string) =>
  projectKeyRows(queries, projectId).where('id', '=', id).executeTakeFirst()

export const pageOfProjectKeys = (
  queries: Queries,
  projectId: string,
  query: PageQuery,
): Promise<Page<ProjectKeyRow>> => selectPage(projectKeyRows(queries, projectId), query)

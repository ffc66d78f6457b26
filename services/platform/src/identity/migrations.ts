// The tables of identity. `position` is that of the id a list shows, so that a cursor alone tells where to go on.
import type { Migration } from '@atoll/kernel/db/migration'

type Schema = Parameters<Migration['up']>[0]

async function createPeople(db: Schema): Promise<void> {
  await db.schema
    .createTable('organizations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('users')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('organization_members')
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id'))
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('organization_members_key', ['organization_id', 'user_id'])
    .execute()
  await db.schema
    .createIndex('organization_members_listed')
    .on('organization_members')
    .columns(['organization_id', 'position', 'user_id'])
    .execute()
  await db.schema.createIndex('organization_members_user').on('organization_members').column('user_id').execute()
}

async function createProjects(db: Schema): Promise<void> {
  await db.schema
    .createTable('projects')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('is_default', 'bigint', (column) => column.notNull())
    .addColumn('archived_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('projects_listed').on('projects').columns(['organization_id', 'position', 'id']).execute()
  await db.schema
    .createIndex('projects_one_default')
    .on('projects')
    .columns(['organization_id', 'is_default'])
    .unique()
    .where('is_default', '=', 1)
    .execute()
  await db.schema
    .createTable('project_members')
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id'))
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('project_members_key', ['project_id', 'user_id'])
    .execute()
  await db.schema
    .createIndex('project_members_listed')
    .on('project_members')
    .columns(['project_id', 'position', 'user_id'])
    .execute()
  await db.schema.createIndex('project_members_user').on('project_members').column('user_id').execute()
  await db.schema
    .createTable('service_accounts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('service_accounts_listed')
    .on('service_accounts')
    .columns(['project_id', 'position', 'id'])
    .execute()
}

async function createKeys(db: Schema): Promise<void> {
  // Admin keys live in the same table: one lookup by digest tells every kind, and no secret can be two keys.
  await db.schema
    .createTable('api_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('organization_id', 'text', (column) => column.references('organizations.id'))
    .addColumn('project_id', 'text', (column) => column.references('projects.id'))
    .addColumn('user_id', 'text', (column) => column.references('users.id'))
    .addColumn('service_account_id', 'text', (column) => column.references('service_accounts.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull().unique())
    .addColumn('hint', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute()
  await db.schema.createIndex('api_keys_of_project').on('api_keys').columns(['project_id', 'position', 'id']).execute()
  await db.schema
    .createIndex('api_keys_of_organization')
    .on('api_keys')
    .columns(['organization_id', 'kind', 'position', 'id'])
    .execute()
  await db.schema
    .createIndex('api_keys_of_user')
    .on('api_keys')
    .columns(['user_id', 'kind', 'position', 'id'])
    .execute()
  await db.schema.createIndex('api_keys_of_service_account').on('api_keys').column('service_account_id').execute()
  // Digests of ended keys: a key deleted because it leaked must not come back through the environment of a restart.
  await db.schema
    .createTable('revoked_keys')
    .addColumn('digest', 'text', (column) => column.primaryKey())
    .addColumn('revoked_at', 'bigint', (column) => column.notNull())
    .execute()
}

export const identityMigrations: Migration[] = [
  {
    name: 'platform/0001-identity',
    async up(db) {
      await createPeople(db)
      await createProjects(db)
      await createKeys(db)
    },
  },
]

import type { Migration } from '@atoll/kernel/db/migration'
import { identityMigration } from './identity/migration.ts'
import { actionsMigration } from './resources/actions/migration.ts'
import { bdbsMigration } from './resources/bdbs/migration.ts'
import { logsMigration } from './resources/logs/migration.ts'
import { modulesMigration } from './resources/modules/migration.ts'
import { usersMigration } from './resources/users/migration.ts'
import { upgradesMigration } from './upgrade/migration.ts'

export const clusterMigrations: Migration[] = [
  identityMigration,
  usersMigration,
  logsMigration,
  actionsMigration,
  modulesMigration,
  bdbsMigration,
  upgradesMigration,
]

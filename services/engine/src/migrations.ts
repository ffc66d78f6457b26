import type { Migration } from '@atoll/kernel/db/migration'
import { containerMigrations } from './resources/containers/migration.ts'
import { imageMigrations } from './resources/images/migration.ts'
import { networksMigration } from './resources/networks/migration.ts'
import { pluginsMigration } from './resources/plugins/migration.ts'
import { systemMigration } from './resources/system/migration.ts'
import { volumesMigration } from './resources/volumes/migration.ts'

export const engineMigrations: Migration[] = [
  ...containerMigrations,
  ...imageMigrations,
  networksMigration,
  pluginsMigration,
  systemMigration,
  volumesMigration,
]

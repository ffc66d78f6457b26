import type { Migration } from '@atoll/kernel/db/migration'
import { agentListsMigration, agentMigration, heartbeatJobMigration, rareEventsMigration } from './agent/migration.ts'
import { outboxJobsMigration, outboxMigration } from './channels/migration.ts'
import { deliveriesMigration, deliveryJobsMigration, rareDeliveriesMigration } from './deliveries/migration.ts'

export const hooksMigrations: Migration[] = [
  deliveriesMigration,
  agentMigration,
  outboxMigration,
  outboxJobsMigration,
  deliveryJobsMigration,
  agentListsMigration,
  heartbeatJobMigration,
  rareDeliveriesMigration,
  rareEventsMigration,
]

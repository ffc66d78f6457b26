// The tables of the kernel itself.
import { auditMigrations } from './audit/migrations.ts'
import { blobMigrations } from './blobs/segments.ts'
import { storeIdMigration } from './blobs/store-id.ts'
import type { Migration } from './db/migration.ts'
import { jobMigrations } from './jobs/migrations.ts'
import { limitMigrations } from './limits/migrations.ts'
import { groupMigration } from './nodes/group-key.ts'
import { nodeMigrations } from './nodes/nodes.ts'
import { vectorMigrations } from './vectors/migrations.ts'

export const kernelMigrations: readonly Migration[] = [
  ...jobMigrations,
  ...blobMigrations,
  ...limitMigrations,
  ...vectorMigrations,
  ...auditMigrations,
  storeIdMigration,
  ...nodeMigrations,
  groupMigration,
]

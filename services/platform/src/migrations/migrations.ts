import type { Migration } from '@atoll/kernel/db/migration'
import { identityMigrations } from '../identity/migrations.ts'
import { filesMigration } from './0002-files.ts'
import { uploadsMigration } from './0003-uploads.ts'
import { fineTunedModelsMigration } from './0004-fine-tuned-models.ts'
import { usageEventsMigration } from './0005-usage-events.ts'
import { storedCompletionsMigration } from './0006-stored-completions.ts'
import { batchesMigration } from './0007-batches.ts'

export const platformMigrations: Migration[] = [
  ...identityMigrations,
  filesMigration,
  uploadsMigration,
  fineTunedModelsMigration,
  usageEventsMigration,
  storedCompletionsMigration,
  batchesMigration,
]

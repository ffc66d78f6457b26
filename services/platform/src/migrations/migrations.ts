import type { Migration } from '@atoll/kernel/db/migration'
import { identityMigrations } from '../identity/migrations.ts'
import { filesMigration } from './0002-files.ts'
import { uploadsMigration } from './0003-uploads.ts'
import { fineTunedModelsMigration } from './0004-fine-tuned-models.ts'
import { usageEventsMigration } from './0005-usage-events.ts'
import { storedCompletionsMigration } from './0006-stored-completions.ts'
import { batchesMigration } from './0007-batches.ts'
import { assistantsMigration } from './0008-assistants.ts'
import { vectorStoresMigration } from './0009-vector-stores.ts'
import { runsMigration } from './0010-runs.ts'
import { batchResultOrderMigration } from './0011-batch-result-order.ts'
import { assistantsV1Migration } from './0012-assistants-v1.ts'
import { invitesMigration } from './0013-invites.ts'
import { auditMigration } from './0014-audit.ts'
import { usageAndLimitsMigration } from './0015-usage-and-limits.ts'
import { completionTermsMigration } from './0016-completion-terms.ts'
import { storeEditionsMigration } from './0017-store-editions.ts'
import { fileAttributesMigration } from './0018-file-attributes.ts'
import { realtimeClientKeysMigration } from './0019-realtime-client-keys.ts'
import { imagesMigration } from './0020-images.ts'
import { fineTuningMigration } from './0021-fine-tuning.ts'
import { chatAudiosMigration } from './0022-chat-audios.ts'
import { fineTuningSourcesMigration } from './0023-fine-tuning-sources.ts'
import { responsesMigration } from './0024-responses.ts'
import { consoleLinksMigration } from './0025-console-links.ts'
import { fineTuningMetadataMigration } from './0026-fine-tuning-metadata.ts'
import { storeDescriptionsMigration } from './0027-store-descriptions.ts'

export const platformMigrations: Migration[] = [
  ...identityMigrations,
  filesMigration,
  uploadsMigration,
  fineTunedModelsMigration,
  usageEventsMigration,
  storedCompletionsMigration,
  batchesMigration,
  assistantsMigration,
  vectorStoresMigration,
  runsMigration,
  batchResultOrderMigration,
  assistantsV1Migration,
  invitesMigration,
  auditMigration,
  usageAndLimitsMigration,
  completionTermsMigration,
  storeEditionsMigration,
  fileAttributesMigration,
  realtimeClientKeysMigration,
  imagesMigration,
  fineTuningMigration,
  chatAudiosMigration,
  fineTuningSourcesMigration,
  responsesMigration,
  consoleLinksMigration,
  fineTuningMetadataMigration,
  storeDescriptionsMigration,
]

// What the server answers, as its own schemas say: those that /openapi.json is made of.

export type { ActionObject, ActionObjectV2 as ListedAction } from '@atoll/cluster/resources/actions/schema'
export type { BdbObject as DatabaseObject, ShardObject } from '@atoll/cluster/resources/bdbs/schema'
export type { ModuleObject } from '@atoll/cluster/resources/modules/schema'
export type { UpgradeAnswer } from '@atoll/cluster/upgrade/schema'
export type {
  DeliveryDetail,
  DeliverySummary as HookDelivery,
} from '@atoll/hooks/admin/deliveries/schema'
export type { ShownMapping as HookMapping, TestResult as MappingTestResult } from '@atoll/hooks/admin/mappings/schema'
export type { Message as HookMessage } from '@atoll/hooks/admin/outbox/schema'
export type { Turn as HookTurn } from '@atoll/hooks/admin/runs/schema'
export type { Status as GatewayStatus } from '@atoll/hooks/admin/status/schema'
export type { ConsoleActivity, ConsoleServiceList, SessionObject } from '@atoll/platform/console/schema'
export type { AssistantObject } from '@atoll/platform/resources/assistants/schema'
export type { BatchObject } from '@atoll/platform/resources/batches/schema'
export type { StoredChatCompletion, StoredMessage } from '@atoll/platform/resources/chat/completions/answer/schema'
export type { FileObject } from '@atoll/platform/resources/files/schema'
export type {
  FineTuningCheckpoint,
  FineTuningEvent,
  FineTuningJob,
} from '@atoll/platform/resources/fine-tuning/schema'
export type { ModelList } from '@atoll/platform/resources/models/schema'
export type { AuditLogObject, AuditLogVerification } from '@atoll/platform/resources/organization/audit-logs/schema'
export type { CostsResult } from '@atoll/platform/resources/organization/costs/schema'
export type { InviteObject, SentInviteObject } from '@atoll/platform/resources/organization/invites/schema'
export type { ModelFileList, ModelFileObject } from '@atoll/platform/resources/organization/model-files/schema'
export type { ProjectApiKeyObject } from '@atoll/platform/resources/organization/projects/api-keys/schema'
export type { RateLimitObject } from '@atoll/platform/resources/organization/projects/rate-limits/schema'
export type { ProjectObject } from '@atoll/platform/resources/organization/projects/schema'
export type {
  NewServiceAccountObject,
  ServiceAccountObject,
} from '@atoll/platform/resources/organization/projects/service-accounts/schema'
export type { ProjectUserObject } from '@atoll/platform/resources/organization/projects/users/schema'
export type { RuntimeList, RuntimeObject } from '@atoll/platform/resources/organization/runtimes/schema'
export type {
  ServerChecks,
  ServerSetting,
  ServerSettings,
} from '@atoll/platform/resources/organization/server/schema'
export type { BucketPage } from '@atoll/platform/resources/organization/usage/schema'
export type { UserObject } from '@atoll/platform/resources/organization/users/schema'
export type { MessageObject } from '@atoll/platform/resources/threads/messages/schema'
export type { RunObject } from '@atoll/platform/resources/threads/runs/schema'
export type { RunStepObject, StepToolCall } from '@atoll/platform/resources/threads/runs/steps/schema'
export type { UploadObject, UploadPart } from '@atoll/platform/resources/uploads/schema'
export type { SearchResultsPage, VectorStoreObject } from '@atoll/platform/resources/vector-stores/schema'

export interface Page<Item> {
  object: 'list'
  data: Item[]
  first_id: string | null
  last_id: string | null
  has_more: boolean
}

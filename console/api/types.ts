// What the server answers, as its own schemas say: those that /openapi.json is made of.
export type { SessionObject } from '@atoll/platform/console/schema'
export type { FileObject } from '@atoll/platform/resources/files/schema'
export type { ModelList } from '@atoll/platform/resources/models/schema'
export type { AuditLogObject } from '@atoll/platform/resources/organization/audit-logs/schema'
export type { CostsResult } from '@atoll/platform/resources/organization/costs/schema'
export type { ProjectApiKeyObject } from '@atoll/platform/resources/organization/projects/api-keys/schema'
export type { ProjectObject } from '@atoll/platform/resources/organization/projects/schema'
export type { NewServiceAccountObject } from '@atoll/platform/resources/organization/projects/service-accounts/schema'
export type { BucketPage } from '@atoll/platform/resources/organization/usage/schema'
export type { SearchResultsPage, VectorStoreObject } from '@atoll/platform/resources/vector-stores/schema'

export interface Page<Item> {
  object: 'list'
  data: Item[]
  first_id: string | null
  last_id: string | null
  has_more: boolean
}

// What the server answers, as its own schemas say: those that /openapi.json is made of.
export type { SessionObject } from '@atoll/platform/console/schema'
export type { ModelList } from '@atoll/platform/resources/models/schema'
export type { ProjectObject } from '@atoll/platform/resources/organization/projects/schema'
export type { BucketPage } from '@atoll/platform/resources/organization/usage/schema'

export interface Page<Item> {
  object: 'list'
  data: Item[]
  first_id: string | null
  last_id: string | null
  has_more: boolean
}

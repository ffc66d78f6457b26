import type { UsageEvent } from '../event.ts'

export const usageEvent = (fields: Partial<UsageEvent> & { id: string }): UsageEvent => ({
  created_at: 1_700_000_000,
  organization_id: 'org_1',
  project_id: 'proj_1',
  user_id: 'user_1',
  service_account_id: null,
  api_key_id: 'key_1',
  operation: 'chat',
  model: 'gpt-4o',
  answered_by: 'small.gguf',
  requests: 1,
  input_tokens: 10,
  cached_input_tokens: 4,
  output_tokens: 5,
  batch: 0,
  ...fields,
})

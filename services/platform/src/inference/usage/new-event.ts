// An event that has used nothing yet, by whom it is.
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { ProjectCaller } from '../../callers.ts'
import type { UsageEvent } from './event.ts'

type Named = Pick<UsageEvent, 'operation' | 'model' | 'answered_by'>

/** Written out: every call of a model makes one. */
export function newUsageEvent({ ids, clock }: { ids: Ids; clock: Clock }, by: ProjectCaller, named: Named): UsageEvent {
  const { actor } = by
  return {
    id: ids.next('usage_'),
    created_at: unixSeconds(clock),
    organization_id: by.organizationId,
    project_id: by.projectId,
    user_id: actor.type === 'user' ? actor.id : null,
    service_account_id: actor.type === 'service_account' ? actor.id : null,
    api_key_id: by.keyId,
    operation: named.operation,
    model: named.model,
    answered_by: named.answered_by,
    requests: 1,
    input_tokens: 0,
    cached_input_tokens: 0,
    output_tokens: 0,
    batch: 0,
    images: 0,
    size: '',
    source: '',
    characters: 0,
    audio_ms: 0,
    input_cost: 0,
    cached_input_cost: 0,
    output_cost: 0,
  }
}

import type { HookDelivery, HookMessage } from '../../api/types.ts'

const kinds: Partial<Record<string, string>> = {
  succeeded: 'good',
  sent: 'good',
  failed: 'bad',
  timed_out: 'bad',
  dead: 'bad',
}

export const DeliveryTag = ({ state }: { state: HookDelivery['state'] | HookMessage['state'] }) => (
  <span className={`tag ${kinds[state] ?? ''}`}>{state.replace('_', ' ')}</span>
)

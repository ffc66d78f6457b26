import type { DeliveryState, Message } from './gateway.ts'

const kinds: Partial<Record<string, string>> = {
  succeeded: 'good',
  sent: 'good',
  failed: 'bad',
  timed_out: 'bad',
  dead: 'bad',
}

export const DeliveryTag = ({ state }: { state: DeliveryState | Message['state'] }) => (
  <span className={`tag ${kinds[state] ?? ''}`}>{state.replace('_', ' ')}</span>
)

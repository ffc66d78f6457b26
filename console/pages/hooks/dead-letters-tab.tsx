import type { HookDelivery, HookMessage } from '../../api/types.ts'
import { Empty } from '../../parts/empty.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { SimpleTable } from '../../parts/simple-table.tsx'
import { Time } from '../../parts/time.tsx'
import { useService, useServiceChange } from '../services/use-service.ts'
import { deliveryColumns } from './deliveries-tab.tsx'
import { admin, secondsOf } from './gateway.ts'

export function DeadLettersTab() {
  const { data, error, refetch } = useService<{ deliveries: HookDelivery[]; messages: HookMessage[] }>(
    'hooks',
    admin('/dead-letters?limit=1000'),
  )
  const change = useServiceChange('hooks')
  const retry = (id: string, what: string) => (
    <button
      type="button"
      className="small"
      disabled={change.isPending}
      aria-label={`Try ${what} again`}
      onClick={() => change.mutate({ path: admin(`/dead-letters/${encodeURIComponent(id)}/retry`) })}
    >
      Try again
    </button>
  )
  const deliveries: Column<HookDelivery>[] = [
    ...deliveryColumns.filter(({ title }) => title !== 'State'),
    { title: 'Actions', show: ({ id, path }) => retry(id, path) },
  ]
  const messages: Column<HookMessage>[] = [
    { title: 'Made', show: ({ createdAt }) => <Time seconds={secondsOf(createdAt)} /> },
    { title: 'To', show: ({ channel, to }) => <span className="long">{`${channel} ${to}`}</span> },
    { title: 'Text', show: ({ text }) => <span className="long">{text.slice(0, 200)}</span> },
    { title: 'Problem', show: ({ error: problem }) => <span className="long">{problem ?? ''}</span> },
    { title: 'Actions', show: ({ id, to }) => retry(id, `the message to ${to}`) },
  ]
  return (
    <div className="stack">
      <h2>Deliveries</h2>
      <SimpleTable
        name="Dead deliveries"
        items={data?.deliveries}
        error={error}
        again={refetch}
        columns={deliveries}
        idOf={({ id }) => id}
        empty={<Empty title="No delivery was given up." code="./atoll hooks dead" />}
      />
      <h2>Messages</h2>
      <SimpleTable
        name="Dead messages"
        items={data?.messages}
        error={error}
        again={refetch}
        columns={messages}
        idOf={({ id }) => id}
        empty={<p className="muted">No message was given up.</p>}
      />
    </div>
  )
}

import { useState } from 'react'
import { Link } from 'wouter'
import type { HookDelivery } from '../../api/types.ts'
import { Choice } from '../../parts/choice.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Time } from '../../parts/time.tsx'
import { DeliveryTag } from './delivery-tag.tsx'
import { secondsOf } from './gateway.ts'
import { GatewayState } from './gateway-state.tsx'
import { useDeliveries } from './use-deliveries.ts'

export const deliveryColumns: Column<HookDelivery>[] = [
  { title: 'Came', show: ({ receivedAt }) => <Time seconds={secondsOf(receivedAt)} /> },
  {
    title: 'Hook',
    show: ({ id, path, name }) => (
      <Link className="long" href={`/hooks?delivery=${encodeURIComponent(id)}`}>
        {name === null ? path : `${path}: ${name}`}
      </Link>
    ),
  },
  { title: 'State', show: ({ state }) => <DeliveryTag state={state} /> },
  { title: 'From', show: ({ sender }) => <span className="long">{sender}</span> },
  {
    title: 'Attempts',
    show: ({ attempts, duplicates }) => `${attempts}${duplicates > 0 ? `, came ${duplicates}× again` : ''}`,
  },
  { title: 'Problem', show: ({ error }) => <span className="long">{error ?? ''}</span> },
]

const states = {
  all: 'All',
  queued: 'Waiting',
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  timed_out: 'Timed out',
  skipped: 'Skipped',
  dead: 'Given up',
} as const

export function DeliveriesTab() {
  const [state, setState] = useState<keyof typeof states>('all')
  const { list, problem } = useDeliveries(state === 'all' ? undefined : state)
  return (
    <>
      <GatewayState />
      {problem !== undefined && <Failure error={new Error(problem)} />}
      <div className="filters">
        <Choice label="State" options={states} value={state} choose={setState} />
        <p className="muted" role="status">
          Live: the newest are at the top.
        </p>
      </div>
      <ListTable
        name="Deliveries"
        list={list}
        columns={deliveryColumns}
        idOf={({ id }) => id}
        empty={
          <Empty title="No delivery is there that fits." code={example}>
            <p>The token of senders was shown at the first start; ./atoll keys replace hooks makes another.</p>
          </Empty>
        }
      />
    </>
  )
}

const example = `# ./atoll status tells the gateway's address; this is the usual one
curl -H "Authorization: Bearer $ATOLL_HOOKS_TOKEN" -H "Content-Type: application/json" \\
  -d '{"message": "What is new?", "name": "Try"}' http://127.0.0.1:8081/hooks/agent`

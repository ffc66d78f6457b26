import type { GatewayStatus, HookMessage } from '../../api/types.ts'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { SimpleTable } from '../../parts/simple-table.tsx'
import { Time } from '../../parts/time.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { useService } from '../services/use-service.ts'
import { DeliveryTag } from './delivery-tag.tsx'
import { admin, secondsOf } from './gateway.ts'

interface Health {
  channel: string
  sent: number
  waiting: number
  dead: number
  last: HookMessage | undefined
}

const healthColumns: Column<Health>[] = [
  { title: 'Channel', show: ({ channel }) => channel },
  { title: 'State', show: stateOf },
  { title: 'Sent', show: ({ sent }) => sent },
  { title: 'Waiting', show: ({ waiting }) => waiting },
  { title: 'Given up', show: ({ dead }) => dead },
  { title: 'Last problem', show: ({ last }) => <span className="long">{last?.error ?? ''}</span> },
]

const messageColumns: Column<HookMessage>[] = [
  { title: 'Made', show: ({ createdAt }) => <Time seconds={secondsOf(createdAt)} /> },
  { title: 'To', show: ({ channel, to }) => <span className="long">{`${channel} ${to}`}</span> },
  { title: 'State', show: ({ state }) => <DeliveryTag state={state} /> },
  { title: 'Text', show: ({ text }) => <span className="long">{text.slice(0, 200)}</span> },
  { title: 'Problem', show: ({ error }) => <span className="long">{error ?? ''}</span> },
]

export function ChannelsTab() {
  const status = useService<GatewayStatus>('hooks', admin('/status'))
  const outbox = useService<{ messages: HookMessage[] }>('hooks', admin('/outbox?limit=1000'))
  const error = status.error ?? outbox.error
  if (error) return <Failure error={error} again={() => Promise.all([status.refetch(), outbox.refetch()])} />
  if (status.data === undefined || outbox.data === undefined) return <Waiting what="channels" />
  const { messages } = outbox.data
  return (
    <div className="stack">
      <h2>Channels</h2>
      <SimpleTable
        name="Channels"
        items={status.data.channels.map((channel) => healthOf(channel, messages))}
        columns={healthColumns}
        idOf={({ channel }) => channel}
        empty={<Empty title="No channel is configured." code={example} />}
      />
      <h2>Messages</h2>
      <SimpleTable
        name="Messages"
        items={messages}
        columns={messageColumns}
        idOf={({ id }) => id}
        empty={<p className="muted">No message was sent yet.</p>}
      />
    </div>
  )
}

const example = 'channels:\n  email: { host: mail.example, from: agent@example, user: agent, password: "…" }'

/** By the last thousand messages. */
function healthOf(channel: string, messages: HookMessage[]): Health {
  const own = messages.filter((message) => message.channel === channel)
  const count = (...states: HookMessage['state'][]) => own.filter(({ state }) => states.includes(state)).length
  const [sent, waiting, dead] = [count('sent'), count('pending', 'sending'), count('dead')]
  return { channel, sent, waiting, dead, last: own[0] }
}

function stateOf({ last }: Health) {
  if (last === undefined) return <span className="tag">not used yet</span>
  return last.error === null ? <span className="tag good">well</span> : <span className="tag bad">in trouble</span>
}

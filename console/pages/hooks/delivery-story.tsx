// One delivery from beginning to end. What it holds came from strangers: all of it is shown as text, and nothing else.

import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import type { DeliveryDetail, HookMessage, HookTurn } from '../../api/types.ts'
import { Failure } from '../../parts/failure.tsx'
import { PlainText } from '../../parts/plain-text.tsx'
import { timeText } from '../../parts/texts.ts'
import { Waiting } from '../../parts/waiting.tsx'
import { useService, useServiceChange } from '../services/use-service.ts'
import { DeliveryTag } from './delivery-tag.tsx'
import { admin, secondsOf } from './gateway.ts'
import { RunEvents } from './run-events.tsx'

export function DeliveryStory({ id }: { id: string }) {
  const at = (rest = '') => admin(`/deliveries/${encodeURIComponent(id)}${rest}`)
  const { data, error, refetch } = useService<DeliveryDetail>('hooks', at(), 2_000)
  const replay = useServiceChange<{ id: string }>('hooks')
  const [, go] = useLocation()
  if (error) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Waiting what="the delivery" />
  const again = () =>
    replay.mutate(
      { path: at('/replay') },
      { onSuccess: (made) => go(`/hooks?delivery=${encodeURIComponent(made.id)}`) },
    )
  return (
    <>
      <div className="detail-head">
        <h2 className="long">
          <Link href="/hooks">Deliveries</Link> / {data.name ?? data.path} <DeliveryTag state={data.state} />
        </h2>
        <button type="button" onClick={again} disabled={replay.isPending}>
          Do it again
        </button>
      </div>
      <ol className="story">
        <Request delivery={data} />
        <Mapped delivery={data} />
        {data.action?.kind === 'agent' && data.state !== 'queued' && <Prompt id={id} />}
        <Step title="What happened">
          <RunEvents key={data.state} id={id} />
        </Step>
        <Reply delivery={data} />
      </ol>
    </>
  )
}

const Step = ({ title, children }: { title: string; children: ReactNode }) => (
  <li className="card">
    <h2>{title}</h2>
    {children}
  </li>
)

function Request({
  delivery: { path, sender, receivedAt, headers, body, duplicates, replayOf },
}: {
  delivery: DeliveryDetail
}) {
  return (
    <Step title="The request">
      <p>
        <code>{path}</code>, let in by {sender}, {timeText(secondsOf(receivedAt))}
        {duplicates > 0 && `; it came ${duplicates} times more and was not run again`}
        {replayOf !== null && (
          <>
            ; the same as <Link href={`/hooks?delivery=${encodeURIComponent(replayOf)}`}>an earlier one</Link>
          </>
        )}
        .
      </p>
      {Object.keys(headers).length > 0 && (
        <details className="details">
          <summary>Headers</summary>
          <PlainText
            label="Headers"
            text={Object.entries(headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}
          />
        </details>
      )}
      {body !== null && <PlainText label="Body" text={pretty(body)} />}
    </Step>
  )
}

function Mapped({ delivery: { mapping, action, trust } }: { delivery: DeliveryDetail }) {
  const how = mapping === null ? 'It asked for this itself' : `The mapping ${mapping} made this of it`
  return (
    <Step title="What it was taken for">
      <p>{action === null ? 'Its mapping said to skip it.' : `${how}; it is trusted as ${trust}.`}</p>
      {action !== null && <PlainText label="Action" text={JSON.stringify(action, undefined, 2)} />}
    </Step>
  )
}

/** A run goes on for a moment before its turn begins; what the turn asks never changes then. */
const untilThere = ({ state }: { state: { data: HookTurn | null | undefined } }) => (state.data ? false : 2_000)

function Prompt({ id }: { id: string }) {
  const { data } = useService<HookTurn | null>('hooks', admin(`/runs/${encodeURIComponent(id)}/turn`), untilThere)
  if (!data) return null
  const tools = data.tools.length === 0 ? 'no tools' : data.tools.join(', ')
  return (
    <Step title="What the model read">
      <p>
        {data.model}, with {tools}.
      </p>
      <PlainText label="Prompt" text={data.prompt} />
    </Step>
  )
}

function Reply({ delivery: { id, outcome, error, state } }: { delivery: DeliveryDetail }) {
  const { data } = useService<{ messages: HookMessage[] }>(
    'hooks',
    admin(`/outbox?origin=${encodeURIComponent(id)}`),
    3_000,
  )
  const said = outcome?.reply ?? outcome?.summary
  const suppressed =
    outcome?.delivery !== undefined && 'suppressed' in outcome.delivery ? outcome.delivery.suppressed : undefined
  return (
    <Step title="What came of it">
      {outcome === null && error === null && (
        <p className="muted">{state === 'queued' ? 'It waits.' : 'Nothing yet.'}</p>
      )}
      {error !== null && <p className="wrong long">{error}</p>}
      {said && <PlainText label="Reply" text={said} />}
      {suppressed !== undefined && <p className="muted">It was sent nowhere: {suppressed}.</p>}
      {data?.messages.map(({ id: messageId, channel, to, state: sent, error: problem }) => (
        <p key={messageId} className="long">
          To {channel} {to}: <DeliveryTag state={sent} /> {problem ?? ''}
        </p>
      ))}
    </Step>
  )
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return body
  }
}

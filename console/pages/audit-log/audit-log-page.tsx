import { useState } from 'react'
import { ask } from '../../api/client.ts'
import type { AuditLogObject } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { useList } from '../../api/use-list.ts'
import { Choice } from '../../parts/choice.tsx'
import { useConfirm } from '../../parts/confirm.tsx'
import { Empty } from '../../parts/empty.tsx'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Time } from '../../parts/time.tsx'
import { ChainCheck } from './chain-check.tsx'
import { actorText, detailsOf, eventTypes, objectText } from './entry.ts'

const path = '/v1/organization/audit_logs'
const daySeconds = 86_400

const since = { all: 'Any time', day: 'Last 24 hours', week: 'Last 7 days', month: 'Last 30 days' }
const days = { all: 0, day: 1, week: 7, month: 30 }

const columns: Column<AuditLogObject>[] = [
  { title: 'When', show: ({ effective_at }) => <Time seconds={effective_at} /> },
  {
    title: 'What',
    show: (entry) => (
      <span className="long">
        <code>{entry.type}</code> {objectText(entry)}
      </span>
    ),
  },
  { title: 'Who', show: (entry) => <span className="long">{actorText(entry.actor)}</span> },
  { title: 'Project', show: ({ project }) => project?.name ?? '' },
  {
    title: 'Details',
    show: (entry) => (
      <details className="details">
        <summary>Show</summary>
        <pre>{JSON.stringify(detailsOf(entry), null, 2)}</pre>
      </details>
    ),
  },
]

export function AuditLogPage() {
  const [type, setType] = useState('all')
  const [email, setEmail] = useState('')
  const [time, setTime] = useState<keyof typeof since>('all')
  const [sought, setSought] = useState('')
  const query = {
    'event_types[]': type === 'all' ? undefined : type,
    'actor_emails[]': sought === '' ? undefined : sought,
    'effective_at[gte]': time === 'all' ? undefined : startOf(time),
  }
  const list = useList<AuditLogObject>({ path, query })
  const isFiltered = type !== 'all' || sought !== '' || time !== 'all'
  return (
    <>
      <PageHead title="Audit log" about="Every administrative change, each entry chained to the one before." />
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault()
          if (email.trim() === sought) void list.refetch()
          else setSought(email.trim())
        }}
      >
        <Choice label="What" options={eventTypes} value={type} choose={setType} />
        <Choice label="When" options={since} value={time} choose={setTime} />
        <label className="field">
          <span>Who, by e-mail</span>
          <input type="search" maxLength={256} value={email} onChange={(event) => setEmail(event.target.value)} />
        </label>
        <button type="submit">Find</button>
      </form>
      {list.items !== undefined && list.items.length > 0 && <ChainCheck />}
      <ListTable
        name="Audit log"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={isFiltered ? <Empty title="Nothing of the kind is on record." /> : <Inactive />}
      />
    </>
  )
}

/** To the minute: the same question is not asked anew with every rendering. */
const startOf = (time: keyof typeof days): number => Math.floor((Date.now() / 1000 - days[time] * daySeconds) / 60) * 60

/** It is activated by somebody, once and for good. */
function Inactive() {
  const confirm = useConfirm()
  const activate = useChange(() => ask(`${path}/activate`, { method: 'POST' }), [path])
  const askFirst = async () => {
    const text = 'From then on changes are on record for good: it cannot be switched off.'
    if (await confirm({ title: 'Activate the audit log?', text, action: 'Activate' })) activate.mutate(undefined)
  }
  return (
    <Empty title="Nothing is on record: the audit log is not activated yet.">
      <p>Once active, it keeps who changed what, from where.</p>
      <button type="button" onClick={askFirst} disabled={activate.isPending}>
        Activate it
      </button>
    </Empty>
  )
}

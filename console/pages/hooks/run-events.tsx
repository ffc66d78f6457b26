// What happened in a run, step by step, also while it happens.
import { useEffect, useState } from 'react'
import { sendTo } from '../../api/service-client.ts'
import { timeText } from '../../parts/texts.ts'
import { admin } from './gateway.ts'

const keptEvents = 200

interface Told {
  key: number
  text: string
  at: string | undefined
}

const words: Record<string, string> = {
  'turn.started': 'A turn began',
  'run.created': 'The platform began a run',
  'tool.called': 'The model called a tool',
  'events.cut': 'There was more',
}

export function RunEvents({ id }: { id: string }) {
  const [events, setEvents] = useState<Told[]>([])
  useEffect(() => {
    const leaving = new AbortController()
    let key = 0
    const take = (name: string, { at, ...detail }: Record<string, unknown>) => {
      const rest = Object.entries(detail).map(([field, value]) => `${field} ${String(value)}`)
      const text = [words[name] ?? name, ...rest].join(' · ')
      setEvents((before) =>
        [...before, { key: key++, text, at: typeof at === 'string' ? at : undefined }].slice(-keptEvents),
      )
    }
    setEvents([])
    follow(id, leaving.signal, take).catch(() => undefined)
    return () => leaving.abort()
  }, [id])
  if (events.length === 0) return <p className="muted">Nothing yet.</p>
  return (
    <ul className="plain">
      {events.map(({ key, text, at }) => (
        <li key={key} className="long">
          {at !== undefined && <span className="muted">{timeText(Date.parse(at) / 1000)} </span>}
          {text}
        </li>
      ))}
    </ul>
  )
}

/** Unlike those of chats, these events have names. */
async function follow(id: string, signal: AbortSignal, take: (name: string, detail: Record<string, unknown>) => void) {
  const { body } = await sendTo('hooks', admin(`/runs/${encodeURIComponent(id)}/events`), { signal })
  const reader = body?.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  for (let kept = ''; ; ) {
    const next = await reader?.read()
    if (next === undefined || next.done) return
    const blocks = (kept + next.value).split('\n\n')
    kept = blocks.pop() ?? ''
    for (const block of blocks) {
      const name = /^event: ?(.*)$/m.exec(block)?.[1] ?? ''
      const data = /^data: ?(.*)$/m.exec(block)?.[1] ?? '{}'
      if (name === 'end') return
      if (name !== 'ping' && name !== 'state') take(name, JSON.parse(data) as Record<string, unknown>)
    }
  }
}

import { useEffect, useState } from 'react'
import { messageOf } from '../../api/api-error.ts'
import { jsonLines } from '../../api/json-lines.ts'
import { sendTo } from '../../api/service-client.ts'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { SimpleTable } from '../../parts/simple-table.tsx'
import { Time } from '../../parts/time.tsx'
import { type EngineEvent, shortId } from './engine.ts'

const keptEvents = 500
const firstMinutes = 60

interface Told extends EngineEvent {
  key: string
}

/** The newest first. */
function useEvents(): { events: Told[] | undefined; problem: string | undefined } {
  const [events, setEvents] = useState<Told[]>()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    const leaving = new AbortController()
    let [waiting, count] = [[] as Told[], 0]
    const timer = setInterval(() => {
      const come = waiting.splice(0).reverse()
      setEvents((before = []) => (come.length === 0 ? before : [...come, ...before].slice(0, keptEvents)))
    }, 300)
    const follow = async () => {
      const since = Math.floor(Date.now() / 1000) - firstMinutes * 60
      const { body } = await sendTo('engine', `/events?since=${since}`, { signal: leaving.signal })
      if (body === null) return
      for await (const event of jsonLines<EngineEvent>(body)) {
        waiting.push({ ...event, key: String(count++) })
        if (waiting.length > keptEvents) waiting = waiting.slice(-keptEvents)
      }
    }
    follow().catch((error: unknown) => leaving.signal.aborted || setProblem(messageOf(error)))
    return () => {
      clearInterval(timer)
      leaving.abort()
    }
  }, [])
  return { events, problem }
}

const columns: Column<Told>[] = [
  { title: 'When', show: ({ time }) => <Time seconds={time} /> },
  { title: 'What', show: ({ Type }) => Type },
  { title: 'Happened', show: ({ Action }) => <span className="long">{Action}</span> },
  {
    title: 'To',
    show: ({ Actor }) => <span className="long">{Actor.Attributes.name ?? shortId(Actor.ID)}</span>,
  },
  { title: 'Image', show: ({ Actor }) => <span className="long">{Actor.Attributes.image ?? ''}</span> },
]

export function EventsTab() {
  const { events, problem } = useEvents()
  if (problem !== undefined) return <Failure error={new Error(problem)} />
  return (
    <SimpleTable
      name="Events"
      items={events}
      columns={columns}
      idOf={({ key }) => key}
      empty={<Empty title="Nothing has happened in the last hour." code="docker run --rm alpine echo hello" />}
    />
  )
}

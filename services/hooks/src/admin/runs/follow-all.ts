// Every change of every delivery, as it happens: for whoever wants to see what goes on.
import type { ServerSentEvent } from '@atoll/kernel/http/reply'
import type { DeliveryDesk, DeliveryRecord } from '../../ports.ts'
import { Bell } from '../bell.ts'
import { deliverySummary } from '../deliveries/present.ts'

const pingEveryMs = 5_000
/** A watcher that cannot keep up is told that it missed some. */
const maxWaiting = 10_000
const pageSize = 200

interface Following {
  /** Deliveries that came after this one are told first; undefined: the latest `recent`. */
  after: string | undefined
  recent: number
  signal: AbortSignal
}

export async function* followAll(desk: DeliveryDesk, following: Following): AsyncGenerator<ServerSentEvent> {
  const { signal } = following
  const bell = new Bell(signal)
  const changed = new Set<string>()
  let missed = 0
  const stop = desk.watch((id) => {
    if (changed.size < maxWaiting) changed.add(id)
    else missed++
    bell.ring()
  })
  try {
    let newest = following.after ?? ''
    const tell = (record: DeliveryRecord): ServerSentEvent => {
      if (record.id > newest) newest = record.id
      return { event: 'delivery', id: newest, data: JSON.stringify(deliverySummary(record)) }
    }
    for await (const record of earlier(desk, following)) yield tell(record)
    while (!signal.aborted) {
      const ids = [...changed]
      changed.clear()
      for (const id of ids) {
        const record = await desk.get(id)
        if (record !== undefined) yield tell(record)
      }
      if (missed > 0) yield { event: 'missed', data: JSON.stringify({ changes: missed }) }
      missed = 0
      if (!(await bell.wait(pingEveryMs)) && !signal.aborted) yield { event: 'ping', data: '{}' }
    }
  } finally {
    stop()
  }
}

async function* earlier(desk: DeliveryDesk, { after, recent, signal }: Following): AsyncGenerator<DeliveryRecord> {
  if (after === undefined) {
    if (recent > 0) yield* (await desk.list({ limit: recent, order: 'desc' })).reverse()
    return
  }
  for (let last = after; !signal.aborted; ) {
    const page = await desk.list({ after: last, limit: pageSize, order: 'asc' })
    yield* page
    const end = page.at(-1)
    if (end === undefined || page.length < pageSize) return
    last = end.id
  }
}

// Deliveries as they come and change: told by the gateway, and asked for again when the connection was lost.

import { useEffect, useState } from 'react'
import { messageOf } from '../../api/api-error.ts'
import { serverSentEvents } from '../../api/server-sent-events.ts'
import { sendTo } from '../../api/service-client.ts'
import type { HookDelivery } from '../../api/types.ts'
import { admin } from './gateway.ts'

const keptDeliveries = 500
const firstDeliveries = 200
const showEveryMs = 250
const againMs = 3_000

interface Deliveries {
  /** The newest first. */
  items: HookDelivery[] | undefined
  problem: string | undefined
}

export function useDeliveries(): Deliveries {
  const [shown, setShown] = useState<Deliveries>({ items: undefined, problem: undefined })
  useEffect(() => {
    const leaving = new AbortController()
    const byId = new Map<string, HookDelivery>()
    let isNew = true
    let problem: string | undefined
    const timer = setInterval(() => {
      if (isNew) setShown({ items: newestOf(byId), problem })
      isNew = false
    }, showEveryMs)
    const follow = async (): Promise<void> => {
      try {
        const { body } = await sendTo('hooks', admin(`/events?recent=${firstDeliveries}`), { signal: leaving.signal })
        problem = undefined
        for await (const data of body === null ? [] : serverSentEvents(body)) {
          const delivery = JSON.parse(data) as Partial<HookDelivery>
          if (delivery.id !== undefined) byId.set(delivery.id, delivery as HookDelivery)
          isNew = true
        }
      } catch (error) {
        problem = messageOf(error)
      }
      isNew = true
      if (!leaving.signal.aborted) setTimeout(() => leaving.signal.aborted || void follow(), againMs)
    }
    void follow()
    return () => {
      clearInterval(timer)
      leaving.abort()
    }
  }, [])
  return shown
}

/** Ids are in the order of time; older ones are forgotten. */
function newestOf(byId: Map<string, HookDelivery>): HookDelivery[] {
  const all = [...byId.values()].sort((one, other) => (one.id < other.id ? 1 : -1))
  for (const { id } of all.splice(keptDeliveries)) byId.delete(id)
  return all
}

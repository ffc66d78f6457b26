// What the gateway tells of deliveries as they come and change. A lost connection is made again.
import { useEffect, useState } from 'react'
import { messageOf } from '../../api/api-error.ts'
import { serverSentEvents } from '../../api/server-sent-events.ts'
import { sendTo } from '../../api/service-client.ts'
import type { HookDelivery } from '../../api/types.ts'
import { admin } from './gateway.ts'

const keptChanges = 500
/** Told at the beginning: what came between the answer of the list and this connection is among them. */
const recentChanges = 200
const showEveryMs = 250
const againMs = 3_000

interface Changes {
  changes: HookDelivery[]
  problem: string | undefined
}

/** `listAgain` is called where changes may have been missed, or are too many to keep. */
export function useDeliveryChanges(listAgain: () => unknown): Changes {
  const [shown, setShown] = useState<Changes>({ changes: [], problem: undefined })
  useEffect(() => {
    const leaving = new AbortController()
    const byId = new Map<string, HookDelivery>()
    let isNew = false
    let problem: string | undefined
    const timer = setInterval(() => {
      if (!isNew) return
      isNew = false
      if (forgetOldest(byId)) listAgain()
      setShown({ changes: [...byId.values()], problem })
    }, showEveryMs)
    const follow = async (): Promise<void> => {
      try {
        const address = admin(`/events?recent=${recentChanges}`)
        const { body } = await sendTo('hooks', address, { signal: leaving.signal })
        problem = undefined
        for await (const data of body === null ? [] : serverSentEvents(body)) {
          const told = JSON.parse(data) as Partial<HookDelivery> & { changes?: number }
          if (told.id !== undefined) byId.set(told.id, told as HookDelivery)
          else if (told.changes !== undefined) listAgain()
          isNew = true
        }
      } catch (error) {
        problem = messageOf(error)
      }
      isNew = true
      if (leaving.signal.aborted) return
      setTimeout(() => {
        if (leaving.signal.aborted) return
        listAgain()
        void follow()
      }, againMs)
    }
    void follow()
    return () => {
      clearInterval(timer)
      leaving.abort()
    }
  }, [listAgain])
  return shown
}

function forgetOldest(byId: Map<string, HookDelivery>): boolean {
  const tooMany = [...byId.keys()].sort().slice(0, -keptChanges)
  for (const id of tooMany) byId.delete(id)
  return tooMany.length > 0
}

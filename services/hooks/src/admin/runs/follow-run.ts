// What happens to one delivery, as it happens: what is on record first, then the rest until its end.
import type { ServerSentEvent } from '@atoll/kernel/http/reply'
import type { DeliveryState } from '../../delivery-states.ts'
import type { DeliveryDesk } from '../../ports.ts'
import { Bell } from '../bell.ts'
import { deliveryDetail } from '../deliveries/present.ts'
import { shownTime } from '../schema.ts'

/** Also without news it is looked again: news can be lost, tables cannot. */
const lookEveryMs = 5_000

const isUnderWay = (state: DeliveryState): boolean => state === 'queued' || state === 'running'

export async function* followRun(
  desk: DeliveryDesk,
  id: string,
  { after, signal }: { after: number; signal: AbortSignal },
): AsyncGenerator<ServerSentEvent> {
  const bell = new Bell(signal)
  const stop = desk.watch((changed) => {
    if (changed === id) bell.ring()
  })
  let seen = after
  let told: string | undefined
  try {
    while (!signal.aborted) {
      // The record first: whatever led to its state is among the events then.
      const record = await desk.get(id)
      if (record === undefined) return
      for (const { seq, type, at, detail } of await desk.events(id, seen)) {
        seen = seq
        yield { event: type, id: String(seq), data: JSON.stringify({ ...detail, at: shownTime(at) }) }
      }
      const { state, attempts } = record
      if (!isUnderWay(state)) {
        yield { event: 'end', data: JSON.stringify(deliveryDetail(record)) }
        return
      }
      if (told !== `${state} ${attempts}`) yield { event: 'state', data: JSON.stringify({ state, attempts }) }
      told = `${state} ${attempts}`
      if (!(await bell.wait(lookEveryMs)) && !signal.aborted) yield { event: 'ping', data: '{}' }
    }
  } finally {
    stop()
  }
}

// Writes down that a session of the code interpreter has begun.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { ProjectCaller } from '../../callers.ts'
import { costsPerDollar } from './list-price.ts'
import { newUsageEvent } from './new-event.ts'
import type { UsageRecorder } from './recorder.ts'

interface Parts {
  ids: Ids
  clock: Clock
  usage: Pick<UsageRecorder, 'record'>
  /** US dollars. */
  price: number
}

export function sessionRecorder({ ids, clock, usage, price }: Parts): (caller: ProjectCaller) => void {
  const named = { operation: 'code_interpreter_sessions', model: '', answered_by: '' }
  const output_cost = Math.round(price * costsPerDollar)
  return (caller) => usage.record({ ...newUsageEvent({ ids, clock }, caller, named), output_cost })
}

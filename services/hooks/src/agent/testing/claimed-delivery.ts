// A delivery as the queue hands it over, and what came of it.
import { randomUUID } from 'node:crypto'
import type { Kernel } from '@atoll/kernel/kernel'
import type { Trust } from '../../actions.ts'
import type { ClaimedDelivery, Outcome } from '../../ports.ts'
import type { Agent } from '../agent.ts'

export type Claim = Partial<ClaimedDelivery['action']> & {
  message: string
  /** Of the delivery; the same one again is another attempt. */
  id?: string
  attempt?: number
  trust?: Trust
  signal?: AbortSignal
  /** Called in the commit that ends it; what it throws undoes everything. */
  onFinish?: () => void
}

export interface Hooked extends Outcome {
  id: string
  told: { type: string; [detail: string]: unknown }[]
}

export async function claimed(kernel: Kernel, agent: Agent, claim: Claim): Promise<Hooked> {
  const { id = kernel.ids.next('dlv_'), attempt = 1, trust = 'external', onFinish, signal, ...action } = claim
  const told: Hooked['told'] = []
  let outcome: Outcome | undefined
  await agent.run({
    ...{ id, attempt, trust, receivedAt: kernel.clock.now(), signal: signal ?? new AbortController().signal },
    action: {
      ...{ kind: 'agent', name: 'Hook', sessionKey: `hook:${randomUUID()}`, wakeMode: 'next-heartbeat' },
      ...{ deliver: true, channel: 'last' },
      ...action,
    },
    async finish(tx, ended) {
      onFinish?.()
      kernel.db.afterCommit(tx, () => {
        outcome = ended
      })
    },
    async tell(event) {
      told.push(event)
    },
  })
  if (outcome === undefined) throw new Error('The run ended without an outcome.')
  return { ...outcome, id, told }
}

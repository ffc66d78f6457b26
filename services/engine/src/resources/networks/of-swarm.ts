// Networks that are of a whole swarm: what its store has of them, and how they are left.
import type { EngineEvents } from '../../events/engine-events.ts'
import type { BridgeNetworking } from '../../network/bridge-networking.ts'
import { type NetworkRecord, scopeOf } from '../../network/network-record.ts'
import type { DraftSettings } from './draft.ts'
import type { Network } from './schema.ts'

export interface SwarmNetworks {
  /** Undefined on a machine that manages no swarm. */
  pools(): DraftSettings['swarm']
  /** This machine is in a swarm that others manage. */
  isWorker(): boolean
  /** Names of services that need it. */
  neededBy(id: string): string[]
  /** Whether a container is one of a service. */
  isTask(containerId: string): boolean
  /** Written down for all managers; false: others were made meanwhile. */
  keep(record: NetworkRecord, seen: number): Promise<boolean>
  /** It is no more, on all nodes. */
  drop(record: NetworkRecord): Promise<void>
  /** As its maker described it; undefined: this machine does not know. */
  record(id: string): NetworkRecord | undefined
  describe(record: NetworkRecord): { Peers?: Network['Peers']; Services: NonNullable<Network['Services']> }
}

/** How long tasks may take to leave a network that is to be removed. */
const leaveMs = 30_000

/** `docker stack rm` takes services away, and their network in the next breath: their tasks are about to leave it. */
export async function untilTasksLeft(
  record: NetworkRecord,
  ofSwarm: SwarmNetworks | undefined,
  { events, networking }: { events: EngineEvents; networking: BridgeNetworking },
): Promise<void> {
  if (ofSwarm === undefined || scopeOf(record) !== 'swarm' || ofSwarm.neededBy(record.id).length > 0) return
  const isWaiting = (): boolean => {
    const on = networking.on(record)
    return on.length > 0 && on.every((id) => ofSwarm.isTask(id))
  }
  if (!isWaiting()) return
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      stopListening()
      resolve()
    }
    const timer = setTimeout(done, leaveMs)
    const stopListening = events.listen(({ Type, Action, Actor }) => {
      if (Type === 'network' && Action === 'disconnect' && Actor.ID === record.id && !isWaiting()) done()
    })
  })
}

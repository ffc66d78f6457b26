// Runs on a manager's machine: many workers that speak as workers do, and say at once that their tasks run.

import type { WorkerIdentity } from '@atoll/engine/swarm/identity/node-identity'
import { joinSwarm } from '@atoll/engine/swarm/session/join-swarm'
import { ManagerLink } from '@atoll/engine/swarm/worker/manager-link'
import { RemoteDispatcher } from '@atoll/engine/swarm/worker/remote-dispatcher'
import { systemClock } from '@atoll/kernel/clock/clock'
import { silentLog } from '@atoll/testkit/silent-log'

const description = {
  Platform: { Architecture: 'x86_64', OS: 'linux' },
  Resources: { NanoCPUs: 64e9, MemoryBytes: 256 * 1024 ** 3 },
  Engine: { EngineVersion: 'simulated', Labels: {}, Plugins: [] },
}
const steps = ['preparing', 'ready', 'starting', 'running'] as const
const joinedAtOnce = 10
const dispatchers: RemoteDispatcher[] = []

/** Tasks that the workers were told of. */
export const assigned = (): number => dispatchers.reduce((sum, dispatcher) => sum + dispatcher.assigned().length, 0)

/** All of them are nodes when it is done. */
export async function join(count: number, manager: string, token: string): Promise<void> {
  for (let at = 0; at < count; at += joinedAtOnce) {
    await Promise.all(
      Array.from({ length: Math.min(joinedAtOnce, count - at) }, (_, index) => one(at + index, manager, token)),
    )
  }
}

const noVolumes = { connected() {}, volumes() {}, volume() {}, volumeGone() {} }

async function one(number: number, manager: string, token: string): Promise<void> {
  const describe = () => ({ Hostname: `simulated-${number}`, ...description })
  const advertise = `10.${Math.floor(number / 250)}.9.${(number % 250) + 1}:2377`
  const { manager: _, ...joined } = await joinSwarm({
    ...{ addresses: [manager], token, availability: 'active', description: describe(), advertise: () => advertise },
  })
  const identity: WorkerIdentity = {
    ...joined,
    listenAddress: advertise,
    dataPathAddress: advertise.split(':')[0] ?? '',
  }
  const dispatcher = new RemoteDispatcher(systemClock)
  dispatchers.push(dispatcher)
  dispatcher.listen((id) => void answer(dispatcher, id))
  await new Promise<void>((resolve, reject) => {
    new ManagerLink({
      ...{
        identity,
        dispatcher,
        clock: systemClock,
        log: silentLog,
        describe,
        mesh: deaf,
        guests: noGuests,
        volumes: noVolumes,
      },
      readLogs: () => {
        throw new Error('it runs nothing')
      },
      tunnelKey: async () => undefined,
      save: async () => {},
      opened: resolve,
      promoted: () => {},
      refused: (reason) => reject(new Error(reason)),
    })
  })
}

/** What a real one does between these steps takes no time here. */
async function answer(dispatcher: RemoteDispatcher, id: string): Promise<void> {
  const { DesiredState, Status } = dispatcher.assignment(id)?.task ?? {}
  if (DesiredState === 'running' && Status?.State === 'assigned') {
    for (const State of steps) await dispatcher.report(id, { State, Message: State })
  }
  if (DesiredState === 'remove' || DesiredState === 'shutdown') {
    await dispatcher.report(id, { State: 'shutdown', Message: 'shutdown' })
  }
}

const noGuests = { connected() {}, answered() {} }

const deaf = {
  network() {},
  networkGone() {},
  service() {},
  serviceGone() {},
  peers() {},
  keepOnly() {},
}

// What a machine asks a manager for that it joins, and what that made of it.
import type { JoinSwarm } from '../resources/swarm/schema.ts'
import {
  advertiseAddress,
  hostOf,
  listenAddress,
  dataPathAddress as readDataPath,
  readPlace,
  written,
} from './addresses.ts'
import { readAvailability } from './draft-swarm.ts'
import type { WorkerIdentity } from './identity/node-identity.ts'
import { type Joined, joinSwarm } from './session/join-swarm.ts'
import type { OutsideEtcdSettings } from './store/outside-etcd-settings.ts'
import { describeNode, type NodeFacts } from './this-node.ts'

export interface JoiningMachine {
  facts(): NodeFacts
  /** An etcd that it knows beside those of engines. */
  outside: OutsideEtcdSettings | undefined
}

export async function askToJoin(
  asked: JoinSwarm,
  { facts, outside }: JoiningMachine,
): Promise<WorkerIdentity & Pick<Joined, 'manager'>> {
  const listening = listenAddress(asked.ListenAddr)
  const advertised = asked.AdvertiseAddr ? advertiseAddress(asked.AdvertiseAddr, listening) : undefined
  const dataPath = asked.DataPathAddr ? readDataPath(asked.DataPathAddr, '') : undefined
  const { port } = readPlace(listening) ?? { port: 0 }
  const joined = await joinSwarm({
    ...{ addresses: asked.RemoteAddrs ?? [], knowsOutside: outside !== undefined },
    token: asked.JoinToken ?? '',
    availability: readAvailability(asked.Availability || 'active'),
    description: describeNode(facts()),
    advertise: (localAddress) => advertised ?? written({ host: localAddress, port }),
  })
  const dataPathAddress = dataPath ?? hostOf(joined.advertiseAddress)
  return { ...joined, listenAddress: listening, dataPathAddress }
}

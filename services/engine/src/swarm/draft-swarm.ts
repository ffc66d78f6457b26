// A swarm that is to begin: its keys, its authority, its tokens, and its first node.
import { createPublicKey } from 'node:crypto'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Ids } from '@atoll/kernel/ids/ids'
import { invalidParameter } from '../errors.ts'
import type { Node } from '../resources/nodes/schema.ts'
import type { InitSwarm } from '../resources/swarm/schema.ts'
import { addressPools, advertiseAddress, dataPathAddress, dataPathPort, hostOf, listenAddress } from './addresses.ts'
import { describeAuthority, newAuthority } from './identity/authority.ts'
import { keyOnDisk, sealCredentials } from './identity/manager-identity.ts'
import { certifyNode, newNodeKey } from './identity/node-certificate.ts'
import type { ManagerIdentity } from './identity/node-identity.ts'
import { newSwarmKey, newUnlockKey, Sealing } from './identity/sealing.ts'
import { newTokenSecret, swarmId } from './identity/tokens.ts'
import { places } from './membership.ts'
import type { KeptCluster, KeptNode } from './store/objects.ts'
import { raftValuesOf } from './store/raft-values.ts'
import { fillSpec } from './swarm-spec.ts'
import { describeNode, type NodeFacts } from './this-node.ts'

const nanosPerMs = 1e6

export interface DraftParts {
  ids: Pick<Ids, 'hex'>
  clock: Clock
  facts(): NodeFacts
  /** Names of the interfaces of its networks. */
  ownBridges(): ReadonlySet<string>
}

export async function draftSwarm(asked: InitSwarm, { ids, clock, facts, ownBridges }: DraftParts) {
  const Spec = fillSpec(asked.Spec)
  const listening = listenAddress(asked.ListenAddr)
  const advertised = advertiseAddress(asked.AdvertiseAddr, listening, ownBridges())
  const [key, authority] = [newSwarmKey(), await newAuthority(clock.now())]
  const sealing = new Sealing(key)
  const unlockKey = Spec.EncryptionConfig?.AutoLockManagers ? newUnlockKey() : undefined
  const [nodeId, clusterId] = [swarmId(ids.hex()), swarmId(ids.hex())]
  const node1 = await newNodeKey()
  const certificate = certifyNode(authority, { nodeId, clusterId, role: 'manager' }, createPublicKey(node1.publicKey), {
    nowMs: clock.now(),
    lifetimeMs: (Spec.CAConfig?.NodeCertExpiry ?? 0) / nanosPerMs,
    addresses: [hostOf(advertised)],
  })
  const identity: ManagerIdentity = {
    ...{ nodeId, clusterId, unlockKey },
    listenAddress: listening,
    advertiseAddress: advertised,
    dataPathAddress: dataPathAddress(asked.DataPathAddr, advertised),
    key: keyOnDisk(key, unlockKey),
    raft: raftValuesOf(Spec),
    member: sealCredentials(key, { certificate, key: node1.key, authority: authority.certificate }),
  }
  const fresh = { Version: { Index: 0 }, CreatedAt: '', UpdatedAt: '' }
  const TLSInfo = describeAuthority(authority.certificate)
  const token = (role: 'worker' | 'manager') => sealing.seal(Buffer.from(newTokenSecret()), places.token(role))
  const cluster: KeptCluster = {
    ...{ ID: identity.clusterId, ...fresh, Spec, TLSInfo, RootRotationInProgress: false },
    ...addressPools(asked.DefaultAddrPool, asked.SubnetSize),
    DataPathPort: dataPathPort(asked.DataPathPort),
    tokens: { worker: token('worker'), manager: token('manager') },
    authorityKey: sealing.seal(Buffer.from(authority.key), places.authorityKey),
    ...(unlockKey === undefined ? {} : { unlockKey: sealing.seal(Buffer.from(unlockKey), places.unlockKey) }),
    hasNetworks: true,
  }
  const node: KeptNode = {
    ...{ ID: identity.nodeId, ...fresh },
    Spec: { Labels: {}, Role: 'manager', Availability: readAvailability(asked.Availability || 'active') },
    Description: { ...describeNode(facts()), TLSInfo },
    Status: { State: 'ready', Message: '', Addr: hostOf(advertised) },
    dataPath: identity.dataPathAddress,
    ManagerStatus: { Leader: true, Reachability: 'reachable', Addr: advertised },
  }
  return { identity, key, cluster, node }
}

export function readAvailability(text: string): Node['Spec']['Availability'] {
  if (text === 'active' || text === 'pause' || text === 'drain') return text
  throw invalidParameter(`invalid Availability: "${text}"; use active, pause or drain`)
}

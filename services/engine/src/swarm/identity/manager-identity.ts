// What a manager keeps of its own: the swarm's key, and its credentials towards other managers, sealed under that key.
import { peerUrlOf } from '../addresses.ts'
import type { CertifyAnswer } from '../session/messages.ts'
import type { MemberPlace } from '../store/etcd-process.ts'
import type { Credentials } from './node-certificate.ts'
import type { ManagerIdentity, WorkerIdentity } from './node-identity.ts'
import { type Sealed, Sealing, wrapKey } from './sealing.ts'

const place = 'credentials of a member'

export const sealCredentials = (key: Buffer, credentials: Credentials): Sealed =>
  new Sealing(key).seal(Buffer.from(JSON.stringify(credentials)), place)

/** Undefined: a swarm of before, which had one manager. */
export function credentialsOf({ member }: ManagerIdentity, key: Buffer): Credentials | undefined {
  return member === undefined ? undefined : JSON.parse(new Sealing(key).open(member, place).toString())
}

export const keyOnDisk = (key: Buffer, unlockKey: string | undefined): ManagerIdentity['key'] =>
  unlockKey === undefined ? { plain: key.toString('base64') } : { sealed: wrapKey(key, unlockKey) }

/** Of a node that was none, and got what managers have. */
export function asManager(
  { credentials, ...common }: WorkerIdentity,
  { swarmKey, unlockKey, isOutside }: NonNullable<CertifyAnswer['manager']>,
): { identity: ManagerIdentity; key: Buffer } {
  const key = Buffer.from(swarmKey, 'base64')
  const member = sealCredentials(key, credentials)
  return { key, identity: { ...common, key: keyOnDisk(key, unlockKey), unlockKey, member, isOutside } }
}

/** Of a manager that is none any more. */
export const asWorker = (
  { nodeId, clusterId, advertiseAddress, listenAddress, dataPathAddress }: ManagerIdentity,
  { credentials, managers }: Pick<WorkerIdentity, 'credentials' | 'managers'>,
): WorkerIdentity => ({
  ...{ nodeId, clusterId, advertiseAddress, listenAddress, dataPathAddress, credentials, managers },
})

export function memberPlace(identity: ManagerIdentity, key: Buffer): MemberPlace | undefined {
  const credentials = credentialsOf(identity, key)
  if (credentials === undefined) return undefined
  const { nodeId, listenAddress, advertiseAddress } = identity
  return {
    name: nodeId,
    listenUrl: peerUrlOf(listenAddress),
    peerUrl: peerUrlOf(advertiseAddress),
    credentials,
  }
}

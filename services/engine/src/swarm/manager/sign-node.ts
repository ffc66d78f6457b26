// Certificates for nodes, from the swarm's authority.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { hostOf } from '../addresses.ts'
import { type Credentials, certifyNode, newNodeKey, type Role } from '../identity/node-certificate.ts'
import { clusterOf, type Membership, places } from '../membership.ts'

const nanosPerMs = 1e6

/** PEM. `addresses`: by which others reach the node. */
export function signNode(
  membership: Membership,
  { nodeId, role }: { nodeId: string; role: Role },
  publicKey: KeyObject,
  { nowMs, addresses }: { nowMs: number; addresses?: readonly string[] },
): string {
  const { TLSInfo, Spec, authorityKey } = clusterOf(membership)
  const key = membership.sealing.open(authorityKey, places.authorityKey).toString()
  const { clusterId } = membership.identity
  return certifyNode({ certificate: TLSInfo.TrustRoot, key }, { nodeId, clusterId, role }, publicKey, {
    ...{ nowMs, lifetimeMs: (Spec.CAConfig?.NodeCertExpiry ?? 0) / nanosPerMs },
    ...(addresses === undefined ? {} : { addresses }),
  })
}

/** What this manager shows to other managers. */
export async function ownCredentials(membership: Membership, nowMs: number): Promise<Credentials> {
  const { nodeId, advertiseAddress } = membership.identity
  const { key } = await newNodeKey()
  const publicKey = createPublicKey(createPrivateKey(key))
  const addresses = [hostOf(advertiseAddress)]
  const certificate = signNode(membership, { nodeId, role: 'manager' }, publicKey, { nowMs, addresses })
  return { key, certificate, authority: clusterOf(membership).TLSInfo.TrustRoot }
}

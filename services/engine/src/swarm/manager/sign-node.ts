// Certificates for nodes, from the swarm's authority.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { hostOf } from '../addresses.ts'
import { type Credentials, certifyNode, newNodeKey, type Role } from '../identity/node-certificate.ts'
import { clusterOf, type Membership, places } from '../membership.ts'

const nanosPerMs = 1e6

/** PEM, with what makes it trusted where the authority is not known yet. `addresses`: by which others reach the node. */
export function signNode(
  membership: Membership,
  { nodeId, role }: { nodeId: string; role: Role },
  publicKey: KeyObject,
  { nowMs, addresses }: { nowMs: number; addresses?: readonly string[] },
): string {
  const cluster = clusterOf(membership)
  const { TLSInfo, authorityKey } = cluster.rotation ?? cluster
  const key = membership.sealing.open(authorityKey, places.authorityKey).toString()
  const { clusterId } = membership.identity
  const certificate = certifyNode({ certificate: TLSInfo.TrustRoot, key }, { nodeId, clusterId, role }, publicKey, {
    ...{ nowMs, lifetimeMs: (cluster.Spec.CAConfig?.NodeCertExpiry ?? 0) / nanosPerMs },
    ...(addresses === undefined ? {} : { addresses }),
  })
  return [certificate, cluster.rotation?.crossSigned, cluster.crossSigned].filter(Boolean).join('')
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

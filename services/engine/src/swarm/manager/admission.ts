// Who becomes a node of the swarm, and what it shows for it: tokens in, certificates out.
import { createPrivateKey, createPublicKey, timingSafeEqual } from 'node:crypto'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Node } from '../../resources/nodes/schema.ts'
import { certifyNode, newNodeKey, type Role, readNodeKey } from '../identity/node-certificate.ts'
import { clusterOf, type Membership, places } from '../membership.ts'
import type { JoinAnswer, Opening } from '../session/messages.ts'
import { Refused } from '../session/refused.ts'

export interface AdmissionParts {
  membership: Membership
  clock: Clock
  newId(): string
}

type Join = Extract<Opening, { ask: 'join' }>
const nanosPerMs = 1e6

export class Admission {
  readonly #parts: AdmissionParts

  constructor(parts: AdmissionParts) {
    this.#parts = parts
  }

  /** PEM. */
  get authority(): string {
    return clusterOf(this.#parts.membership).TLSInfo.TrustRoot
  }

  /** Where nodes find managers. */
  get managers(): string[] {
    return this.#parts.membership.store.all('node').flatMap(({ ManagerStatus }) => ManagerStatus?.Addr || [])
  }

  async join({ secret, key, availability, description }: Join, address: string): Promise<JoinAnswer> {
    const { membership, newId } = this.#parts
    const role = this.#roleOf(secret)
    if (role === undefined) throw new Refused('A valid join token is necessary to join this cluster')
    if (role === 'manager') {
      throw new Refused('Joining as a manager is not part of this engine yet: join with the token of workers')
    }
    const nodeId = newId()
    const { clusterId } = membership.identity
    const certificate = this.certify(nodeId, role, key)
    const node: Node = {
      ...{ ID: nodeId, Version: { Index: 0 }, CreatedAt: '', UpdatedAt: '' },
      Spec: { Labels: {}, Role: role, Availability: readJoinAvailability(availability) },
      Description: { ...description, TLSInfo: clusterOf(membership).TLSInfo },
      Status: { State: 'unknown', Message: '', Addr: address },
    }
    if (!(await membership.store.commit([{ kind: 'node', object: node, index: 0 }]))) {
      throw new Refused('The swarm could not write the node down', false)
    }
    return { nodeId, clusterId, certificate, managers: this.managers }
  }

  /** PEM. Throws where the caller does not have the key. */
  certify(nodeId: string, role: Role, { publicKey, proof }: Join['key']): string {
    const read = readNodeKey(publicKey, proof)
    if (read === undefined) throw new Refused('The key of the node is not an EC key that it has')
    return this.#sign(nodeId, role, read)
  }

  /** What this manager shows to others; in memory alone. */
  async ownCredentials(): Promise<{ key: string; certificate: string }> {
    const { nodeId } = this.#parts.membership.identity
    const { key } = await newNodeKey()
    return { key, certificate: this.#sign(nodeId, 'manager', createPublicKey(createPrivateKey(key))) }
  }

  #sign(nodeId: string, role: Role, publicKey: ReturnType<typeof createPublicKey>): string {
    const { membership, clock } = this.#parts
    const { TLSInfo, Spec, authorityKey } = clusterOf(membership)
    const key = membership.sealing.open(authorityKey, places.authorityKey).toString()
    const { clusterId } = membership.identity
    return certifyNode({ certificate: TLSInfo.TrustRoot, key }, { nodeId, clusterId, role }, publicKey, {
      nowMs: clock.now(),
      lifetimeMs: (Spec.CAConfig?.NodeCertExpiry ?? 0) / nanosPerMs,
    })
  }

  #roleOf(secret: string): Role | undefined {
    const { membership } = this.#parts
    const { tokens } = clusterOf(membership)
    const given = Buffer.from(secret)
    return (['worker', 'manager'] as const).find((role) => {
      const known = membership.sealing.open(tokens[role], places.token(role))
      return known.length === given.length && timingSafeEqual(known, given)
    })
  }
}

function readJoinAvailability(text: string): Node['Spec']['Availability'] {
  if (text === 'active' || text === 'pause' || text === 'drain') return text
  throw new Refused(`invalid Availability: "${text}"; use active, pause or drain`)
}

// Who becomes a node of the swarm, and what it shows for it: tokens in, certificates out.
import { timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Node } from '../../resources/nodes/schema.ts'
import { hostOf, peerUrlOf } from '../addresses.ts'
import { type NodeName, type Role, readNodeKey } from '../identity/node-certificate.ts'
import { clusterOf, type Membership, places } from '../membership.ts'
import type { CertifyAnswer, JoinAnswer, MemberAnswer, Opening } from '../session/messages.ts'
import { Refused } from '../session/refused.ts'
import { outsideWords } from '../standing-words.ts'
import { changeObject } from '../store/change-object.ts'
import type { KeptNode } from '../store/objects.ts'
import { freshTlsInfo, issuerNow } from './issuers.ts'
import { leaderOf } from './leadership.ts'
import type { Members } from './members.ts'
import { ownCredentials, signNode } from './sign-node.ts'

export interface AdmissionParts {
  membership: Membership
  clock: Clock
  members: Pick<Members, 'add'>
  newId(): string
}

type Join = Extract<Opening, { ask: 'join' }>
export const removedWords = 'This node was removed from the swarm: it has to leave it, and can join again then'

export class Admission {
  readonly #parts: AdmissionParts

  constructor(parts: AdmissionParts) {
    this.#parts = parts
  }

  /** PEM. */
  get authority(): string {
    return clusterOf(this.#parts.membership).TLSInfo.TrustRoot
  }

  /** The public key of the authority that signs: DER in base64. */
  get issuer(): string {
    return issuerNow(clusterOf(this.#parts.membership)).CertIssuerPublicKey
  }

  /** Where nodes find managers; first the one that leads. */
  get managers(): string[] {
    const { store } = this.#parts.membership
    const leader = leaderOf(store)
    const addressOf = ({ Spec, ManagerStatus }: KeptNode) => (Spec.Role === 'manager' && ManagerStatus?.Addr) || []
    const all = store.all('node')
    return [...all.filter(({ ID }) => ID === leader), ...all.filter(({ ID }) => ID !== leader)].flatMap(addressOf)
  }

  /** Where the manager is that leads. */
  get leader(): string | undefined {
    const { store } = this.#parts.membership
    return store.get('node', leaderOf(store) ?? '')?.ManagerStatus?.Addr
  }

  async join(asked: Join, address: string): Promise<JoinAnswer> {
    const { secret, key, availability, description, advertise } = asked
    const { membership, newId } = this.#parts
    const role = this.#roleOf(secret)
    if (role === undefined) throw new Refused('A valid join token is necessary to join this cluster')
    const nodeId = newId()
    const { clusterId, isOutside } = membership.identity
    if (isOutside === true && role === 'manager' && asked.knowsOutside !== true) throw new Refused(outsideWords)
    const node: Node = {
      ...{ ID: nodeId, Version: { Index: 0 }, CreatedAt: '', UpdatedAt: '' },
      Spec: { Labels: {}, Role: role, Availability: readJoinAvailability(availability) },
      Description: { ...description, TLSInfo: freshTlsInfo(clusterOf(membership)) },
      Status: { State: 'unknown', Message: '', Addr: address },
    }
    const answer = this.#answer(nodeId, role, key, advertise)
    if (!(await membership.store.commit([{ kind: 'node', object: node, index: 0 }]))) {
      throw new Refused('The swarm could not write the node down', false)
    }
    return { nodeId, clusterId, ...answer }
  }

  /** For a node that has a certificate: a new one, for what it is to be now. */
  again({ nodeId, clusterId }: NodeName, { key, advertise }: Extract<Opening, { ask: 'certify' }>): CertifyAnswer {
    const { Spec } = this.#node(nodeId, clusterId)
    return this.#answer(nodeId, Spec.Role, key, advertise)
  }

  /** For a manager that has a certificate: its store becomes one of the swarm's. */
  async member({ nodeId, clusterId }: NodeName, advertise: string): Promise<MemberAnswer> {
    const { membership, members } = this.#parts
    if (this.#node(nodeId, clusterId).Spec.Role !== 'manager') throw new Refused('This node is not to be a manager')
    if (membership.identity.isOutside === true) throw new Refused('The swarm is kept in an etcd that takes no members')
    readAdvertised(advertise)
    const ManagerStatus = { Leader: false, Reachability: 'unknown' as const, Addr: advertise }
    await changeObject(membership.store, 'node', nodeId, (node) =>
      node.ManagerStatus?.Addr === advertise ? undefined : { ...node, ManagerStatus },
    )
    const peerUrl = peerUrlOf(advertise)
    // Others join just now, or one of the members is away: a moment later it may be possible.
    const all = await members.add(peerUrl).catch((error: Error) => {
      throw new Refused(`The store of the swarm takes no new member now: ${error.message}`, false)
    })
    return {
      members: all.map(({ name, id, peerUrls }) => {
        const isOwn = peerUrls.includes(peerUrl)
        return { name: isOwn ? nodeId : name || `member-${id}`, peerUrl: isOwn ? peerUrl : (peerUrls[0] ?? '') }
      }),
    }
  }

  /** PEM. Throws where the caller does not have the key. */
  certify(nodeId: string, role: Role, { publicKey, proof }: Join['key'], addresses: string[] = []): string {
    const read = readNodeKey(publicKey, proof)
    if (read === undefined) throw new Refused('The key of the node is not an EC key that it has')
    const { membership, clock } = this.#parts
    return signNode(membership, { nodeId, role }, read, { nowMs: clock.now(), addresses })
  }

  /** What this manager shows to others; in memory alone. */
  ownCredentials(): Promise<{ key: string; certificate: string }> {
    return ownCredentials(this.#parts.membership, this.#parts.clock.now())
  }

  #node(nodeId: string, clusterId: string): KeptNode {
    const { store, identity } = this.#parts.membership
    if (clusterId !== identity.clusterId) throw new Refused('This is another swarm')
    const node = store.get('node', nodeId)
    if (node === undefined) throw new Refused(removedWords)
    return node
  }

  /** Managers get what they need to read the store. */
  #answer(nodeId: string, role: Role, key: Join['key'], advertise: string): CertifyAnswer {
    const { membership } = this.#parts
    const { managers } = this
    if (role === 'worker') return { certificate: this.certify(nodeId, role, key), managers }
    const certificate = this.certify(nodeId, role, key, [hostOf(readAdvertised(advertise))])
    const { unlockKey } = clusterOf(membership)
    const unlock = unlockKey && membership.sealing.open(unlockKey, places.unlockKey).toString()
    const swarmKey = membership.key.toString('base64')
    const { isOutside } = membership.identity
    return { certificate, managers, manager: { swarmKey, unlockKey: unlock, isOutside } }
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

function readAdvertised(address: string): string {
  if (isIP(hostOf(address)) === 0) throw new Refused(`invalid advertise address "${address}": it has no IP address`)
  return address
}

function readJoinAvailability(text: string): Node['Spec']['Availability'] {
  if (text === 'active' || text === 'pause' || text === 'drain') return text
  throw new Refused(`invalid Availability: "${text}"; use active, pause or drain`)
}

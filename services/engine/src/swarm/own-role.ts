// What a manager follows of itself in the store: whether it is still to be one, what unlocks it, who else is one, and
// when its certificate is to be another. What has to survive a restart is kept on this machine.
import type { Log } from '@atoll/kernel/telemetry/log'
import { credentialsOf, keyOnDisk, sealCredentials } from './identity/manager-identity.ts'
import { type Credentials, renewalTime } from './identity/node-certificate.ts'
import type { ManagerIdentity } from './identity/node-identity.ts'
import { isOfIssuer, issuerNow } from './manager/issuers.ts'
import { managersOf } from './manager/kept-networks.ts'
import { isPresent } from './manager/leadership.ts'
import { ownCredentials } from './manager/sign-node.ts'
import { clusterOf, type Membership, places } from './membership.ts'
import { changeObject } from './store/change-object.ts'
import { raftValuesOf } from './store/raft-values.ts'
import { Retries } from './store/retries.ts'
import { within } from './within.ts'

export interface OwnRoleParts {
  membership: Membership
  log: Log
  now(): number
  save(identity: ManagerIdentity): Promise<void>
  /** Other managers are shown these from now on. */
  show(credentials: Credentials): Promise<void>
  /** This machine is to be a worker. */
  demoted(): void
}

const lookAgainMs = 5_000
/** Longer than that nobody waits for a disk, or for other managers. */
const savedMs = 15_000

export class OwnRole {
  readonly #parts: OwnRoleParts
  readonly #stopListening: () => void
  readonly #timer: NodeJS.Timeout
  #renewAt = 0
  #isRenewing = false
  #isStopped = false
  readonly #writes: Retries

  constructor(parts: OwnRoleParts) {
    this.#parts = parts
    this.#writes = new Retries(parts.log)
    this.#stopListening = parts.membership.store.listen(({ kind }) => {
      if (kind === 'node' || kind === 'cluster') this.#look()
    })
    this.#timer = setInterval(() => this.#look(), lookAgainMs).unref()
    this.#look()
  }

  stop(): void {
    this.#isStopped = true
    this.#stopListening()
    clearInterval(this.#timer)
    void this.#writes.stop()
  }

  async saved(): Promise<void> {
    await within(this.#writes.settled(), savedMs)
  }

  #look(): void {
    const { membership, demoted } = this.#parts
    const { store, identity } = membership
    if (store.get('node', identity.nodeId)?.Spec.Role === 'worker') {
      this.stop()
      demoted()
      return
    }
    this.#renewWhereNeeded()
    const managers = store
      .all('node')
      .flatMap(({ Spec, ManagerStatus }) => (Spec.Role === 'manager' && ManagerStatus?.Addr) || [])
    const unlockKey = this.#unlockKey()
    const raft = raftValuesOf(clusterOf(membership).Spec)
    const isKnown = JSON.stringify([managers, raft]) === JSON.stringify([identity.managers, identity.raft])
    if (unlockKey === identity.unlockKey && isKnown) return
    void this.#keep({ ...identity, managers, unlockKey, raft, key: keyOnDisk(membership.key, unlockKey) })
  }

  #unlockKey(): string | undefined {
    const { membership } = this.#parts
    const { Spec, unlockKey } = clusterOf(membership)
    if (Spec.EncryptionConfig?.AutoLockManagers !== true) return undefined
    // Swarms of before kept it in their one manager's memory alone.
    if (unlockKey === undefined) return membership.identity.unlockKey
    return membership.sealing.open(unlockKey, places.unlockKey).toString()
  }

  /** Before it ends, and when the swarm has another authority. */
  #renewWhereNeeded(): void {
    if (this.#isRenewing || !this.#isToRenew()) return
    this.#isRenewing = true
    // The swarm may want another one by then, or none any more.
    const renew = () => (this.#isToRenew() ? this.#renew() : Promise.resolve())
    void this.#writes.run('the certificate of this manager', renew).then(() => {
      this.#isRenewing = false
      if (!this.#isStopped) this.#renewWhereNeeded()
    })
  }

  #isToRenew(): boolean {
    const { membership, now } = this.#parts
    const { store, identity } = membership
    const told = store.get('node', identity.nodeId)?.Description.TLSInfo
    if (told === undefined) return false
    const cluster = clusterOf(membership)
    const isTrusted = told.TrustRoot === cluster.TLSInfo.TrustRoot || !this.#isItsTurn()
    return now() >= this.#renewAt || !isOfIssuer(told, issuerNow(cluster)) || !isTrusted
  }

  async #renew(): Promise<void> {
    const { membership, now, show } = this.#parts
    const { identity, key, store } = membership
    const isTrusting = this.#isItsTurn()
    const issuer = issuerNow(clusterOf(membership))
    const made = await ownCredentials(membership, now())
    const before = credentialsOf(identity, key)?.authority
    const credentials = isTrusting || before === undefined ? made : { ...made, authority: before }
    await show(credentials)
    const isKept = await this.#keep({ ...membership.identity, member: sealCredentials(key, credentials) })
    if (!isKept) return
    await changeObject(store, 'node', identity.nodeId, (node) => {
      const TLSInfo = { ...issuer, TrustRoot: credentials.authority }
      if (JSON.stringify(TLSInfo) === JSON.stringify(node.Description.TLSInfo)) return undefined
      return { ...node, Description: { ...node.Description, TLSInfo } }
    })
    this.#renewAt = renewalTime(credentials.certificate, Math.random())
  }

  /** To trust another authority its store starts again: not before those of the managers that come first have. */
  #isItsTurn(): boolean {
    const { store, identity } = this.#parts.membership
    const { TrustRoot } = clusterOf(this.#parts.membership).TLSInfo
    return managersOf(store)
      .filter((id) => id < identity.nodeId && isPresent(store, id))
      .every((id) => store.get('node', id)?.Description.TLSInfo.TrustRoot === TrustRoot)
  }

  /** What is decided next builds on it. False: it is not on this machine's disk. */
  #keep(identity: ManagerIdentity): Promise<boolean> {
    const { membership, save } = this.#parts
    membership.identity = identity
    return this.#writes.run('the identity of this manager', () => save(membership.identity))
  }
}

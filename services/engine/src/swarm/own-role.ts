// What a manager follows of itself in the store: whether it is still to be one, what unlocks it, who else is one, and
// when its certificate is to be another. What has to survive a restart is kept on this machine.
import type { Log } from '@atoll/kernel/telemetry/log'
import { keyOnDisk, sealCredentials } from './identity/manager-identity.ts'
import { type Credentials, renewalTime } from './identity/node-certificate.ts'
import type { ManagerIdentity } from './identity/node-identity.ts'
import { ownCredentials } from './manager/sign-node.ts'
import { clusterOf, type Membership, places } from './membership.ts'
import type { KeptCluster } from './store/objects.ts'

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

const lookAtCertificateMs = 3600_000
const againMs = 5_000

export class OwnRole {
  readonly #parts: OwnRoleParts
  readonly #stopListening: () => void
  #timer: NodeJS.Timeout
  #renewAt = 0
  #saving: Promise<void> = Promise.resolve()

  constructor(parts: OwnRoleParts) {
    this.#parts = parts
    this.#stopListening = parts.membership.store.listen(({ kind, before, after }) => {
      if (kind === 'node' || kind === 'cluster') this.#look()
      const trusted = (cluster: unknown) => (cluster as KeptCluster | undefined)?.TLSInfo.TrustRoot
      if (kind !== 'cluster' || trusted(before) === trusted(after)) return
      this.#renewAt = 0
      this.#renew()
    })
    this.#timer = setInterval(() => this.#renew(), lookAtCertificateMs).unref()
    this.#renew()
    this.#look()
  }

  stop(): void {
    this.#stopListening()
    clearInterval(this.#timer)
  }

  saved(): Promise<void> {
    return this.#saving
  }

  #look(): void {
    const { membership, demoted } = this.#parts
    const { store, identity } = membership
    if (store.get('node', identity.nodeId)?.Spec.Role === 'worker') {
      this.stop()
      demoted()
      // Until it is one: another manager has to answer first.
      this.#timer = setInterval(demoted, againMs).unref()
      return
    }
    const managers = store
      .all('node')
      .flatMap(({ Spec, ManagerStatus }) => (Spec.Role === 'manager' && ManagerStatus?.Addr) || [])
    const unlockKey = this.#unlockKey()
    if (unlockKey === identity.unlockKey && JSON.stringify(managers) === JSON.stringify(identity.managers)) return
    this.#save({ ...identity, managers, unlockKey, key: keyOnDisk(membership.key, unlockKey) })
  }

  #unlockKey(): string | undefined {
    const { membership } = this.#parts
    const { Spec, unlockKey } = clusterOf(membership)
    if (Spec.EncryptionConfig?.AutoLockManagers !== true) return undefined
    // Swarms of before kept it in their one manager's memory alone.
    if (unlockKey === undefined) return membership.identity.unlockKey
    return membership.sealing.open(unlockKey, places.unlockKey).toString()
  }

  /** Before it ends. */
  #renew(): void {
    const { membership, now, show, log } = this.#parts
    const isFirst = this.#renewAt === 0
    if (!isFirst && now() < this.#renewAt) return
    this.#saving = this.#saving
      .then(async () => {
        const credentials = await ownCredentials(membership, now())
        this.#renewAt = renewalTime(credentials.certificate, Math.random())
        await show(credentials)
        await this.#write({ ...membership.identity, member: sealCredentials(membership.key, credentials) })
      })
      .catch((error: Error) => log.error({ error: error.message }, 'the certificate of this manager is not renewed'))
  }

  #save(identity: ManagerIdentity): void {
    const { membership, log } = this.#parts
    // What is decided next builds on it.
    membership.identity = identity
    this.#saving = this.#saving
      .then(() => this.#write(membership.identity))
      .catch((error: Error) => log.error({ error: error.message }, 'the identity of this manager is not kept'))
  }

  async #write(identity: ManagerIdentity): Promise<void> {
    this.#parts.membership.identity = identity
    await this.#parts.save(identity)
  }
}

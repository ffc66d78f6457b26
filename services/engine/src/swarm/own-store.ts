// The store of the swarm on a manager: this machine's member of it, opened with what the machine remembers.
import { join } from 'node:path'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Log } from '@atoll/kernel/telemetry/log'
import { keyOnDisk, memberPlace, sealCredentials } from './identity/manager-identity.ts'
import { type ManagerIdentity, writeIdentity } from './identity/node-identity.ts'
import { Sealing } from './identity/sealing.ts'
import { removeOwnMember } from './manager/own-node.ts'
import { ownCredentials } from './manager/sign-node.ts'
import type { Membership } from './membership.ts'
import { EtcdProcess, type StartOptions } from './store/etcd-process.ts'
import { SwarmStore } from './store/swarm-store.ts'

export interface OwnStoreSettings {
  clock: Clock
  log: Log
  /** Of what this machine remembers of its swarm. */
  folder: string
  /** Whatever changes from now on is told. */
  opened(store: SwarmStore): void
  /** It is no longer one of the swarm's, as other managers decided. */
  removed(): void
}

export class OwnStore {
  readonly #settings: OwnStoreSettings
  readonly #etcd: EtcdProcess

  constructor(settings: OwnStoreSettings) {
    this.#settings = settings
    this.#etcd = new EtcdProcess(join(settings.folder, 'etcd'), settings.log)
    this.#etcd.removed = settings.removed
  }

  get isRemoved(): boolean {
    return this.#etcd.isRemoved
  }

  /** From now on other managers are shown these. */
  get show(): EtcdProcess['show'] {
    return (credentials) => this.#etcd.show(credentials)
  }

  async open(
    identity: ManagerIdentity,
    key: Buffer,
    options: Omit<StartOptions, 'place' | 'raft'> = {},
  ): Promise<Membership> {
    const { log, clock, opened } = this.#settings
    await this.#etcd.stop()
    const place = memberPlace(identity, key)
    const client = await this.#etcd.start({ ...options, place, raft: identity.raft })
    const store = new SwarmStore(client, log, () => clock.now())
    await store.open()
    const membership = { identity, store, client, key, sealing: new Sealing(key) }
    if (place === undefined) return this.#openToOthers(membership)
    const { own, members } = await client.members()
    const isMoved = members.some(({ id, peerUrls }) => id === own && !peerUrls.includes(place.peerUrl))
    if (isMoved) await client.moveMember(own, place.peerUrl)
    opened(store)
    return membership
  }

  /** Swarms of before had one manager, and a store that nobody else could reach. */
  async #openToOthers(membership: Membership): Promise<Membership> {
    const { store, key } = membership
    const credentials = await ownCredentials(membership, this.#settings.clock.now())
    const identity = { ...membership.identity, member: sealCredentials(key, credentials) }
    store.close()
    await writeIdentity(this.#settings.folder, { ...identity, key: keyOnDisk(key, identity.unlockKey) })
    return this.open(identity, key)
  }

  /** It goes from the store of the others, where there are others. */
  async goFrom(membership: Membership): Promise<void> {
    if (!this.isRemoved) await removeOwnMember(membership, this.#settings.log)
    membership.store.close()
    // Before it ends by itself: that it goes is no surprise.
    await this.#etcd.stop()
  }

  stop(): Promise<void> {
    return this.#etcd.stop()
  }

  /** Nothing of it stays on this machine. */
  forget(): Promise<void> {
    return this.#etcd.forget()
  }
}

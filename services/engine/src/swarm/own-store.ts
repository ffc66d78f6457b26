// The store of the swarm on a manager: this machine's member of it, opened with what the machine remembers.
import { join } from 'node:path'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Log } from '@atoll/kernel/telemetry/log'
import { conflict, invalidParameter, unavailable } from '../errors.ts'
import type { draftSwarm } from './draft-swarm.ts'
import { asManager, keyOnDisk, memberPlace, sealCredentials } from './identity/manager-identity.ts'
import { type ManagerIdentity, type WorkerIdentity, writeIdentity } from './identity/node-identity.ts'
import { Sealing } from './identity/sealing.ts'
import { removeOwnMember } from './manager/own-node.ts'
import { ownCredentials } from './manager/sign-node.ts'
import type { Membership } from './membership.ts'
import { becomeMember } from './session/change-role.ts'
import type { Joined } from './session/join-swarm.ts'
import { outsideWords } from './standing-words.ts'
import { EtcdProcess, type StartOptions } from './store/etcd-process.ts'
import { OutsideEtcd } from './store/outside-etcd.ts'
import type { OutsideEtcdSettings } from './store/outside-etcd-settings.ts'
import { expectUsualRaft } from './store/raft-values.ts'
import { SwarmStore } from './store/swarm-store.ts'
import { fillSpec } from './swarm-spec.ts'

type Draft = Awaited<ReturnType<typeof draftSwarm>>

export interface OwnStoreSettings {
  clock: Clock
  log: Log
  /** Of what this machine remembers of its swarm. */
  folder: string
  /** Whatever changes from now on is told. */
  opened(store: SwarmStore): void
  /** Where new swarms are kept, instead of an etcd of this machine. */
  outside: OutsideEtcdSettings | undefined
  /** It is no longer one of the swarm's, as other managers decided. */
  removed(): void
}

export class OwnStore {
  readonly #settings: OwnStoreSettings
  readonly #etcd: EtcdProcess
  readonly #outside: OutsideEtcd | undefined
  #isOutside = false

  constructor(settings: OwnStoreSettings) {
    this.#settings = settings
    this.#etcd = new EtcdProcess(join(settings.folder, 'etcd'), settings.log)
    this.#etcd.removed = settings.removed
    this.#outside = settings.outside && new OutsideEtcd(settings.outside)
  }

  get isRemoved(): boolean {
    return this.#etcd.isRemoved
  }

  /** From now on other managers are shown these. */
  get show(): EtcdProcess['show'] {
    return async (credentials) => {
      if (!this.#isOutside) await this.#etcd.show(credentials)
    }
  }

  /** A swarm that is new: what it and its first node are like is written down. */
  async begin({ identity: drafted, key, cluster, node }: Draft): Promise<Membership> {
    const outside = this.#outside
    if (outside !== undefined) expectUsualRaft(cluster.Spec, fillSpec(undefined))
    const identity = outside === undefined ? drafted : { ...drafted, isOutside: true as const }
    const membership = await this.open(identity, key)
    const writes = [
      { kind: 'cluster' as const, object: cluster, index: 0 },
      { kind: 'node' as const, object: node, index: 0 },
    ]
    // Of several that begin at once one does.
    const conditions = outside === undefined ? {} : { guard: { mark: 'begun', revision: 0 } }
    if (await membership.store.commit(writes, [], conditions)) return membership
    membership.store.close()
    throw conflict(
      `${outside?.words}, has a swarm already: join that one, or give engine.swarmStore another prefix. What a swarm left behind that is no more, etcdctl del --prefix removes`,
    )
  }

  /** A node that becomes a manager. */
  async join(worker: WorkerIdentity, secrets: NonNullable<Joined['manager']>): Promise<Membership> {
    const { identity, key } = asManager(worker, secrets)
    // Of another attempt.
    await this.forget()
    if (identity.isOutside !== true) return this.open(identity, key, { members: await becomeMember(worker) })
    const membership = await this.open(identity, key)
    if (membership.store.get('cluster', identity.clusterId) !== undefined) return membership
    membership.store.close()
    throw unavailable(`${this.#outside?.words}, does not have the swarm that this machine joins (engine.swarmStore)`)
  }

  /** Throws where lost members are not the engine's to give up. */
  expectOwn({ isOutside }: ManagerIdentity): void {
    if (isOutside !== true) return
    throw invalidParameter(
      'The swarm is kept in an etcd that is not the engine’s: bring that back, and remove lost managers with docker node demote and docker node rm',
    )
  }

  async open(
    identity: ManagerIdentity,
    key: Buffer,
    options: Omit<StartOptions, 'place' | 'raft'> = {},
  ): Promise<Membership> {
    const { log, clock, opened } = this.#settings
    await this.#etcd.stop()
    this.#isOutside = identity.isOutside === true
    if (this.#isOutside) return this.#openOutside(identity, key)
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

  async #openOutside(identity: ManagerIdentity, key: Buffer): Promise<Membership> {
    const { log, clock, opened } = this.#settings
    if (this.#outside === undefined) throw unavailable(outsideWords)
    const client = await this.#outside.start()
    const store = new SwarmStore(client, log, () => clock.now())
    await store.open()
    opened(store)
    return { identity, store, client, key, sealing: new Sealing(key) }
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

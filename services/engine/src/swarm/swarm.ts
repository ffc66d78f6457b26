// The life of this machine in a swarm: it begins one, finds it again after a restart, is unlocked, and leaves.
import { join } from 'node:path'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Log } from '@atoll/kernel/telemetry/log'
import { conflict, invalidParameter, notInSwarm, notSwarmManager, unavailable } from '../errors.ts'
import type { Node } from '../resources/nodes/schema.ts'
import type { InitSwarm } from '../resources/swarm/schema.ts'
import type { SwarmState } from '../resources/system/schema.ts'
import { addressPools, advertiseAddress, dataPathAddress, dataPathPort, hostOf, listenAddress } from './addresses.ts'
import { describeAuthority, newAuthority } from './identity/authority.ts'
import { forgetSwarm, type NodeIdentity, readIdentity, writeIdentity } from './identity/node-identity.ts'
import { newSwarmKey, newUnlockKey, Sealing, unwrapKey, wrapKey } from './identity/sealing.ts'
import { newTokenSecret, swarmId } from './identity/tokens.ts'
import { clusterOf, type Membership, places } from './membership.ts'
import { EtcdProcess } from './store/etcd-process.ts'
import type { KeptCluster } from './store/objects.ts'
import { SwarmStore } from './store/swarm-store.ts'
import { fillSpec } from './swarm-spec.ts'
import { describeNode, type NodeFacts } from './this-node.ts'

/** What runs while this machine is in a swarm. */
export interface SwarmWork {
  /** Until `stop`. `isLeaving`: nothing of the swarm stays on this machine. */
  stop(isLeaving: boolean): Promise<void>
}

export interface SwarmSettings {
  clock: Clock
  ids: Pick<Ids, 'hex'>
  log: Log
  /** Of the engine. */
  folder: string
  facts(): NodeFacts
  /** The store is there; whatever changes from now on is told. */
  opened(store: SwarmStore): void
  begin(membership: Membership): Promise<SwarmWork>
}

type Standing =
  | { is: 'inactive' }
  | { is: 'locked'; identity: NodeIdentity }
  | { is: 'error'; problem: string; identity: NodeIdentity }
  | { is: 'active'; membership: Membership; work: SwarmWork }

export class Swarm {
  readonly #settings: SwarmSettings
  readonly #folder: string
  readonly #etcd: EtcdProcess
  #standing: Standing = { is: 'inactive' }
  /** Beginning, unlocking and leaving come one after the other. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(settings: SwarmSettings) {
    this.#settings = settings
    this.#folder = join(settings.folder, 'swarm')
    this.#etcd = new EtcdProcess(join(this.#folder, 'etcd'), settings.log)
  }

  /** At the engine's start: goes on with the swarm that this machine is in. */
  async resume(): Promise<void> {
    const identity = await readIdentity(this.#folder)
    if (identity === undefined) return
    if ('sealed' in identity.key) {
      this.#standing = { is: 'locked', identity }
      return
    }
    const key = Buffer.from(identity.key.plain, 'base64')
    await this.#enter(identity, key).catch((error: Error) => {
      this.#settings.log.error({ error: error.message }, 'the swarm of this machine cannot be opened')
      this.#standing = { is: 'error', problem: error.message, identity }
    })
  }

  get state(): SwarmState {
    return this.#standing.is === 'active' ? 'active/manager' : this.#standing.is
  }

  /** Why it is not what it should be. */
  get problem(): string {
    return this.#standing.is === 'error' ? this.#standing.problem : ''
  }

  get identity(): NodeIdentity | undefined {
    const { membership, identity } = this.#standing as { membership?: Membership; identity?: NodeIdentity }
    return membership?.identity ?? identity
  }

  /** Throws where this machine manages no swarm. */
  get membership(): Membership {
    if (this.#standing.is === 'active') return this.#standing.membership
    if (this.#standing.is === 'locked') throw unavailable(lockedWords)
    if (this.#standing.is === 'error') throw unavailable(`The swarm cannot be opened: ${this.#standing.problem}`)
    throw notSwarmManager()
  }

  /** The id of this node. */
  init(asked: InitSwarm): Promise<string> {
    return this.#inTurn(async () => {
      if (asked.ForceNewCluster === true && this.#standing.is !== 'inactive') return this.#goOnAlone()
      if (this.#standing.is !== 'inactive') throw unavailable(alreadyWords)
      const { identity, key, cluster, node } = await this.#draft(asked)
      // Of one that was begun before, and never acknowledged.
      await forgetSwarm(this.#folder)
      try {
        const unlockKey = cluster.Spec.EncryptionConfig?.AutoLockManagers ? newUnlockKey() : undefined
        const membership = await this.#open({ ...identity, unlockKey }, key)
        await membership.store.commit([
          { kind: 'cluster', object: cluster, index: 0 },
          { kind: 'node', object: node, index: 0 },
        ])
        await writeIdentity(this.#folder, { ...identity, key: keyOnDisk(key, unlockKey) })
        await this.#begin(membership)
      } catch (error) {
        await this.#etcd.stop()
        await forgetSwarm(this.#folder)
        throw error
      }
      return identity.nodeId
    })
  }

  leave(isForced: boolean): Promise<void> {
    return this.#inTurn(async () => {
      const standing = this.#standing
      if (standing.is === 'inactive') throw notInSwarm()
      if (!isForced) throw unavailable(leaveWords)
      if (standing.is === 'active') {
        await standing.work.stop(true)
        standing.membership.store.close()
      }
      this.#standing = { is: 'inactive' }
      await this.#etcd.stop()
      await forgetSwarm(this.#folder)
    })
  }

  unlock(unlockKey: string): Promise<void> {
    return this.#inTurn(async () => {
      const standing = this.#standing
      if (standing.is !== 'locked') throw conflict('swarm is not locked')
      const { key } = standing.identity
      const opened = 'sealed' in key ? unwrapKey(key.sealed, unlockKey) : undefined
      if (opened === undefined) throw invalidParameter('swarm could not be unlocked: invalid key provided')
      await this.#enter({ ...standing.identity, unlockKey }, opened)
    })
  }

  /** The engine ends; the swarm is there at its next start. */
  async close(): Promise<void> {
    const standing = this.#standing
    this.#standing = { is: 'inactive' }
    if (standing.is === 'active') {
      await standing.work.stop(false)
      standing.membership.store.close()
    }
    await this.#etcd.stop()
  }

  /** Autolock is switched on or off, or its key is another. */
  async lockWith(unlockKey: string | undefined): Promise<void> {
    const { membership } = this
    const { unlockKey: _, ...identity } = membership.identity
    await writeIdentity(this.#folder, { ...identity, key: keyOnDisk(membership.key, unlockKey) })
    membership.identity = { ...identity, unlockKey }
  }

  async #enter(identity: NodeIdentity, key: Buffer): Promise<void> {
    await this.#begin(await this.#open(identity, key))
  }

  async #begin(membership: Membership): Promise<void> {
    await this.#refreshNode(membership)
    const work = await this.#settings.begin(membership)
    this.#standing = { is: 'active', membership, work }
  }

  async #open(identity: NodeIdentity, key: Buffer, options = { isForced: false }): Promise<Membership> {
    const { log, clock } = this.#settings
    await this.#etcd.stop()
    const store = new SwarmStore(await this.#etcd.start(options), log, () => clock.now())
    await store.open()
    this.#settings.opened(store)
    return { identity, store, key, sealing: new Sealing(key) }
  }

  /** Other managers are lost for good: what this one has is what there is. */
  async #goOnAlone(): Promise<string> {
    const { identity, key, store } = this.membership
    if (this.#standing.is === 'active') await this.#standing.work.stop(false)
    store.close()
    await this.#begin(await this.#open(identity, key, { isForced: true }))
    return identity.nodeId
  }

  /** This machine may be another than at its last start. */
  async #refreshNode({ store, identity }: Membership): Promise<void> {
    const node = store.get('node', identity.nodeId)
    if (node === undefined) return
    const { TLSInfo } = clusterOf({ store, identity })
    const Description = { ...describeNode(this.#settings.facts()), TLSInfo }
    const Status: Node['Status'] = { State: 'ready', Message: '', Addr: hostOf(identity.advertiseAddress) }
    const object = { ...node, Description, Status }
    if (JSON.stringify(object) === JSON.stringify(node)) return
    await store.commit([{ kind: 'node', object, index: node.Version.Index }])
  }

  async #draft(asked: InitSwarm) {
    const { ids, clock, facts } = this.#settings
    const Spec = fillSpec(asked.Spec)
    const listening = listenAddress(asked.ListenAddr)
    const advertised = advertiseAddress(asked.AdvertiseAddr, listening)
    const [key, authority] = [newSwarmKey(), await newAuthority(clock.now())]
    const sealing = new Sealing(key)
    const identity: NodeIdentity = {
      nodeId: swarmId(ids.hex()),
      clusterId: swarmId(ids.hex()),
      listenAddress: listening,
      advertiseAddress: advertised,
      dataPathAddress: dataPathAddress(asked.DataPathAddr, advertised),
      key: { plain: key.toString('base64') },
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
    }
    const node: Node = {
      ...{ ID: identity.nodeId, ...fresh },
      Spec: { Labels: {}, Role: 'manager', Availability: readAvailability(asked.Availability || 'active') },
      Description: { ...describeNode(facts()), TLSInfo },
      Status: { State: 'ready', Message: '', Addr: hostOf(advertised) },
      ManagerStatus: { Leader: true, Reachability: 'reachable', Addr: advertised },
    }
    return { identity, key, cluster, node }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work, work)
    this.#last = mine.catch(() => {})
    return mine
  }
}

export function readAvailability(text: string): Node['Spec']['Availability'] {
  if (text === 'active' || text === 'pause' || text === 'drain') return text
  throw invalidParameter(`invalid Availability: "${text}"; use active, pause or drain`)
}

const keyOnDisk = (key: Buffer, unlockKey: string | undefined): NodeIdentity['key'] =>
  unlockKey === undefined ? { plain: key.toString('base64') } : { sealed: wrapKey(key, unlockKey) }

const lockedWords =
  'Swarm is encrypted and needs to be unlocked before it can be used. Please use "docker swarm unlock" to unlock it.'
const alreadyWords =
  'This node is already part of a swarm. Use "docker swarm leave" to leave this swarm and join another one.'
const leaveWords =
  'You are attempting to leave the swarm on a node that is participating as a manager. Removing the last manager erases all current state of the swarm. Use `--force` to ignore this message.'

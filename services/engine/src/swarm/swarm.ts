// The life of this machine in a swarm: it begins one, finds it again after a restart, is unlocked, and leaves.
import { join } from 'node:path'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Log } from '@atoll/kernel/telemetry/log'
import { conflict, invalidParameter, notInSwarm, notSwarmManager, unavailable } from '../errors.ts'
import type { Node } from '../resources/nodes/schema.ts'
import type { InitSwarm, JoinSwarm } from '../resources/swarm/schema.ts'
import type { SwarmState } from '../resources/system/schema.ts'
import { advertiseAddress, dataPathAddress, hostOf, listenAddress, readPlace, written } from './addresses.ts'
import { draftSwarm, readAvailability } from './draft-swarm.ts'
import {
  forgetSwarm,
  type ManagerIdentity,
  type NodeIdentity,
  readIdentity,
  type WorkerIdentity,
  writeIdentity,
} from './identity/node-identity.ts'
import { newUnlockKey, Sealing, unwrapKey, wrapKey } from './identity/sealing.ts'
import { clusterOf, type Membership } from './membership.ts'
import { joinSwarm } from './session/join-swarm.ts'
import { EtcdProcess } from './store/etcd-process.ts'
import { SwarmStore } from './store/swarm-store.ts'
import type { ManagerWork, WorkerWork } from './swarm-work.ts'
import { describeNode, type NodeFacts } from './this-node.ts'

export interface SwarmSettings {
  clock: Clock
  ids: Pick<Ids, 'hex'>
  log: Log
  /** Of the engine. */
  folder: string
  facts(): NodeFacts
  /** The store is there; whatever changes from now on is told. */
  opened(store: SwarmStore): void
  manage(membership: Membership): Promise<ManagerWork>
  /** `refused`: managers no longer want this node, for this reason. */
  work(identity: WorkerIdentity, refused: (reason: string) => void): WorkerWork
}

const joinMs = 20_000

type Standing =
  | { is: 'inactive' }
  | { is: 'locked'; identity: ManagerIdentity }
  | { is: 'error'; problem: string; identity: NodeIdentity }
  | { is: 'active'; membership: Membership; work: ManagerWork }
  /** `isOpen`: a manager has told its tasks. */
  | { is: 'worker'; identity: WorkerIdentity; work: WorkerWork; isOpen: boolean }

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
    if ('credentials' in identity) {
      this.#work(identity)
      return
    }
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
    const standing = this.#standing
    if (standing.is === 'active') return 'active/manager'
    if (standing.is === 'worker') return standing.isOpen ? 'active/worker' : 'pending'
    return standing.is
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
    if (this.#standing.is === 'worker') throw unavailable(workerWords)
    throw notSwarmManager()
  }

  /** On a manager; undefined where nobody looks after other nodes here. */
  get management(): ManagerWork | undefined {
    return this.#standing.is === 'active' ? this.#standing.work : undefined
  }

  /** The id of this node. */
  init(asked: InitSwarm): Promise<string> {
    return this.#inTurn(async () => {
      if (asked.ForceNewCluster === true && this.#standing.is !== 'inactive') return this.#goOnAlone()
      if (this.#standing.is !== 'inactive') throw unavailable(alreadyWords)
      const { identity, key, cluster, node } = await draftSwarm(asked, this.#settings)
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

  /** Done when a manager has told this node its tasks. */
  join(asked: JoinSwarm): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#standing.is !== 'inactive') throw unavailable(alreadyWords)
      const identity = await this.#joined(asked)
      await forgetSwarm(this.#folder)
      await writeIdentity(this.#folder, identity)
      const { opened } = this.#work(identity)
      if (!(await within(opened, joinMs))) throw unavailable(slowJoinWords)
    })
  }

  leave(isForced: boolean): Promise<void> {
    return this.#inTurn(async () => {
      const standing = this.#standing
      if (standing.is === 'inactive') throw notInSwarm()
      const isWorker = this.identity !== undefined && 'credentials' in this.identity
      if (!isForced && !isWorker) throw unavailable(leaveWords)
      if (standing.is === 'worker') await standing.work.leave()
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
    if (standing.is === 'worker') await standing.work.stop(false)
    await this.#etcd.stop()
  }

  /** Autolock is switched on or off, or its key is another. */
  async lockWith(unlockKey: string | undefined): Promise<void> {
    const { membership } = this
    const { unlockKey: _, ...identity } = membership.identity
    await writeIdentity(this.#folder, { ...identity, key: keyOnDisk(membership.key, unlockKey) })
    membership.identity = { ...identity, unlockKey }
  }

  async #enter(identity: ManagerIdentity, key: Buffer): Promise<void> {
    await this.#begin(await this.#open(identity, key))
  }

  async #begin(membership: Membership): Promise<void> {
    await this.#refreshNode(membership)
    const work = await this.#settings.manage(membership)
    this.#standing = { is: 'active', membership, work }
  }

  #work(identity: WorkerIdentity): WorkerWork {
    const work = this.#settings.work(identity, (problem) => {
      this.#standing = { is: 'error', problem, identity }
    })
    const standing = { is: 'worker' as const, identity, work, isOpen: false }
    this.#standing = standing
    void work.opened.then(() => {
      standing.isOpen = true
    })
    return work
  }

  /** What a manager made of this machine. */
  async #joined(asked: JoinSwarm): Promise<WorkerIdentity> {
    const listening = listenAddress(asked.ListenAddr)
    const advertised = asked.AdvertiseAddr ? advertiseAddress(asked.AdvertiseAddr, listening) : undefined
    const dataPath = asked.DataPathAddr ? dataPathAddress(asked.DataPathAddr, '') : undefined
    const { localAddress, ...joined } = await joinSwarm({
      addresses: asked.RemoteAddrs ?? [],
      token: asked.JoinToken ?? '',
      availability: readAvailability(asked.Availability || 'active'),
      description: describeNode(this.#settings.facts()),
    })
    const reached = advertised ?? written({ host: localAddress, port: readPlace(listening)?.port ?? 0 })
    return {
      ...joined,
      ...{ listenAddress: listening, advertiseAddress: reached, dataPathAddress: dataPath ?? hostOf(reached) },
    }
  }

  async #open(identity: ManagerIdentity, key: Buffer, options = { isForced: false }): Promise<Membership> {
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
    const object = { ...node, Description, Status, dataPath: identity.dataPathAddress }
    if (JSON.stringify(object) === JSON.stringify(node)) return
    await store.commit([{ kind: 'node', object, index: node.Version.Index }])
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work, work)
    this.#last = mine.catch(() => {})
    return mine
  }
}

/** False: it took longer. */
async function within(work: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const isDone = await Promise.race([work.then(() => true), late])
  clearTimeout(timer)
  return isDone
}

const keyOnDisk = (key: Buffer, unlockKey: string | undefined): ManagerIdentity['key'] =>
  unlockKey === undefined ? { plain: key.toString('base64') } : { sealed: wrapKey(key, unlockKey) }

const lockedWords =
  'Swarm is encrypted and needs to be unlocked before it can be used. Please use "docker swarm unlock" to unlock it.'
const workerWords =
  "This node is not a swarm manager. Worker nodes can't be used to view or modify cluster state. Please run this command on a manager node or promote the current node to a manager."
const slowJoinWords =
  'Timeout was reached before node joined. The attempt to join the swarm will continue in the background. Use the "docker info" command to see the current swarm status of your node.'
const alreadyWords =
  'This node is already part of a swarm. Use "docker swarm leave" to leave this swarm and join another one.'
const leaveWords =
  'You are attempting to leave the swarm on a node that is participating as a manager. Removing the last manager erases all current state of the swarm. Use `--force` to ignore this message.'

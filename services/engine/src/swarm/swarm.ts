// The life of this machine in a swarm: it begins one, finds it again after a restart, is unlocked, and leaves.
import { join } from 'node:path'
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Log } from '@atoll/kernel/telemetry/log'
import { conflict, invalidParameter, notInSwarm, notSwarmManager, unavailable } from '../errors.ts'
import type { Guests } from '../network/guests.ts'
import type { InitSwarm, JoinSwarm } from '../resources/swarm/schema.ts'
import type { SwarmState } from '../resources/system/schema.ts'
import { askToJoin } from './ask-to-join.ts'
import { draftSwarm } from './draft-swarm.ts'
import { asWorker, credentialsOf } from './identity/manager-identity.ts'
import {
  forgetSwarm,
  type ManagerIdentity,
  type NodeIdentity,
  readIdentity,
  type WorkerIdentity,
  writeIdentity,
} from './identity/node-identity.ts'
import { unwrapKey } from './identity/sealing.ts'
import { refreshNode, tellLeaving } from './manager/own-node.ts'
import type { Membership } from './membership.ts'
import { OwnRole } from './own-role.ts'
import { OwnStore } from './own-store.ts'
import { certifyAgain } from './session/change-role.ts'
import type { Joined } from './session/join-swarm.ts'
import { Refused } from './session/refused.ts'
import { alreadyWords, leaveWords, lockedWords, slowJoinWords, workerWords } from './standing-words.ts'
import type { OutsideEtcdSettings } from './store/outside-etcd-settings.ts'
import { Retries } from './store/retries.ts'
import type { SwarmStore } from './store/swarm-store.ts'
import type { ManagerWork, SwarmWork, WorkerCalls, WorkerWork } from './swarm-work.ts'
import type { NodeFacts } from './this-node.ts'
import { within } from './within.ts'

export interface SwarmSettings {
  clock: Clock
  ids: Pick<Ids, 'hex'>
  log: Log
  /** Of the engine. */
  folder: string
  facts(): NodeFacts
  /** Its public key for networks that are encrypted; undefined where it can have none. */
  tunnelKey(): Promise<string | undefined>
  ownBridges(): ReadonlySet<string>
  /** Where new swarms are kept; undefined: in an etcd of this machine. */
  outside: OutsideEtcdSettings | undefined
  /** The store is there; whatever changes from now on is told. */
  opened(store: SwarmStore): void
  manage(membership: Membership): Promise<ManagerWork>
  work(identity: WorkerIdentity, calls: WorkerCalls): WorkerWork
}

const joinMs = 20_000
/** A manager that could not open its swarm tries again. */
const reopenMs = 3_000

type Standing =
  | { is: 'inactive' }
  | { is: 'locked'; identity: ManagerIdentity }
  | { is: 'error'; problem: string; identity: NodeIdentity }
  | { is: 'active'; membership: Membership; work: ManagerWork; role: OwnRole }
  /** `isOpen`: a manager has told its tasks. */
  | { is: 'worker'; identity: WorkerIdentity; work: WorkerWork; isOpen: boolean }

export class Swarm {
  readonly #settings: SwarmSettings
  readonly #folder: string
  readonly #store: OwnStore
  #standing: Standing = { is: 'inactive' }
  readonly #resumed = Promise.withResolvers<void>()
  /** Beginning, unlocking and leaving come one after the other. */
  #last: Promise<unknown> = Promise.resolve()
  /** What other managers decided about this node. */
  readonly #changes: Retries

  constructor(settings: SwarmSettings) {
    this.#settings = settings
    this.#changes = new Retries(settings.log)
    this.#folder = join(settings.folder, 'swarm')
    this.#store = new OwnStore({
      ...settings,
      folder: this.#folder,
      removed: () => this.#change('to go on as a worker', () => this.#stepBack()),
    })
  }

  /** At the engine's start: goes on with the swarm that this machine is in. */
  async resume(): Promise<void> {
    await this.#resume().finally(() => this.#resumed.resolve())
  }

  /** On a worker, once this engine knows that it is one: who gives addresses to its containers. */
  async guests(): Promise<Guests | undefined> {
    await this.#resumed.promise
    return this.guestsNow
  }

  get guestsNow(): Guests | undefined {
    return this.#standing.is === 'worker' ? this.#standing.work.guests : undefined
  }

  async #resume(): Promise<void> {
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
    await this.#inTurn(() => this.#reopen(identity, key))
  }

  /** Too few managers may be there: it is tried until there are enough. */
  async #reopen(identity: ManagerIdentity, key: Buffer): Promise<void> {
    try {
      await this.#enter(identity, key)
    } catch (error) {
      const { message: problem } = error as Error
      this.#settings.log.error({ error: problem }, 'the swarm of this machine cannot be opened')
      this.#standing = { is: 'error', problem, identity }
      const standing = this.#standing
      setTimeout(() => {
        const isStill = this.#standing === standing && !this.#store.isRemoved
        if (isStill) this.#change('to open the swarm', () => this.#reopen(identity, key))
      }, reopenMs).unref()
    }
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
    if (this.#standing.is === 'worker') return this.#standing.work.identity()
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

  get work(): SwarmWork | undefined {
    return 'work' in this.#standing ? this.#standing.work : undefined
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
      const draft = await draftSwarm(asked, this.#settings)
      // Of one that was begun before, and never acknowledged.
      await this.#forget()
      try {
        const membership = await this.#store.begin(draft)
        await writeIdentity(this.#folder, membership.identity)
        await this.#begin(membership)
      } catch (error) {
        await this.#forget()
        throw error
      }
      return draft.identity.nodeId
    })
  }

  /** Done when a manager has told this node its tasks, or when it is a manager itself. */
  join(asked: JoinSwarm): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#standing.is !== 'inactive') throw unavailable(alreadyWords)
      const { manager, ...identity } = await askToJoin(asked, this.#settings)
      await this.#forget()
      if (manager !== undefined) {
        await this.#becomeManager(identity, manager).catch(async (error: Error) => {
          await this.#forget()
          throw error
        })
        return
      }
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
        standing.role.stop()
        await tellLeaving(standing.membership, this.#settings.log)
        await standing.work.stop(true)
        await this.#store.goFrom(standing.membership)
      }
      this.#standing = { is: 'inactive' }
      await this.#forget()
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
    void this.#changes.stop()
    if (standing.is === 'active') {
      standing.role.stop()
      await standing.work.stop(false)
      standing.membership.store.close()
    }
    if (standing.is === 'worker') await standing.work.stop(false)
    await this.#store.stop()
  }

  /** What this machine remembers is as the store has it. */
  async saved(): Promise<void> {
    if (this.#standing.is === 'active') await this.#standing.role.saved()
  }

  async #enter(identity: ManagerIdentity, key: Buffer): Promise<void> {
    await this.#begin(await this.#store.open(identity, key))
  }

  async #begin(membership: Membership): Promise<void> {
    const { facts, tunnelKey } = this.#settings
    await refreshNode(membership, facts(), await tunnelKey())
    const work = await this.#settings.manage(membership)
    this.#standing = { is: 'active', membership, work, role: this.#role(membership) }
  }

  #role(membership: Membership): OwnRole {
    const { log, clock } = this.#settings
    return new OwnRole({
      ...{ membership, log, now: () => clock.now() },
      save: (identity) => writeIdentity(this.#folder, identity),
      show: this.#store.show,
      demoted: () => this.#change('to become a worker', () => this.#stepBack()),
    })
  }

  #work(identity: WorkerIdentity): WorkerWork {
    const work = this.#settings.work(identity, {
      refused: (problem) => {
        this.#standing = { is: 'error', problem, identity }
      },
      promoted: () => this.#change('to become a manager', () => this.#stepUp(work)),
    })
    const standing = { is: 'worker' as const, identity, work, isOpen: false }
    this.#standing = standing
    void work.opened.then(() => {
      standing.isOpen = true
    })
    return work
  }

  /** A worker that is to be a manager. Its tasks go on meanwhile. */
  async #stepUp(work: WorkerWork): Promise<void> {
    if (this.#standing.is !== 'worker' || this.#standing.work !== work) return
    const worker = work.identity()
    const answer = await certifyAgain(worker).catch((error: Error) => {
      // Its session is refused as well.
      if (!(error instanceof Refused)) throw error
    })
    if (answer?.manager === undefined) return
    const { credentials, manager } = answer
    await work.stop(false)
    try {
      await this.#becomeManager({ ...worker, credentials }, manager)
    } catch (error) {
      await this.#store.forget()
      // It is told again that it is to be one.
      this.#work(worker)
      throw error
    }
  }

  /** A manager that is to be none, or whose store is no longer one of the swarm's. */
  async #stepBack(): Promise<void> {
    const standing = this.#standing
    if (standing.is !== 'active' && standing.is !== 'error') return
    const { identity, key } = this.#known()
    const credentials = credentialsOf(identity, key)
    const managers = (identity.managers ?? []).filter((address) => address !== identity.advertiseAddress)
    if (credentials === undefined || managers.length === 0) throw new Error('no other manager is known')
    const { advertiseAddress } = identity
    const answer = await certifyAgain({ managers, credentials, advertiseAddress }).catch((error: Error) => {
      if (!(error instanceof Refused)) throw error
      this.#standing = { is: 'error', problem: error.message, identity }
    })
    if (answer === undefined) return
    if (answer.manager !== undefined && !this.#store.isRemoved) return this.#stay(standing)
    if (standing.is === 'active') {
      standing.role.stop()
      await standing.work.stop(false)
      await this.#store.goFrom(standing.membership)
    }
    const worker = asWorker(identity, { credentials: answer.credentials, managers: answer.managers })
    await writeIdentity(this.#folder, worker)
    await this.#store.forget()
    this.#work(worker)
  }

  /** Others say that it is a manager: it was to be none for a moment, or they do not know yet. */
  #stay(standing: Standing): void {
    if (standing.is !== 'active') return
    const { store, identity } = standing.membership
    if (store.get('node', identity.nodeId)?.Spec.Role !== 'manager') throw new Error('other managers do not know yet')
    standing.role = this.#role(standing.membership)
  }

  async #becomeManager(worker: WorkerIdentity, secrets: NonNullable<Joined['manager']>): Promise<void> {
    const membership = await this.#store.join(worker, secrets)
    await writeIdentity(this.#folder, membership.identity)
    await this.#begin(membership)
  }

  /** Other managers are lost for good: what this one has is what there is. */
  async #goOnAlone(): Promise<string> {
    const { identity, key } = this.#known()
    this.#store.expectOwn(identity)
    if (this.#standing.is === 'active') {
      this.#standing.role.stop()
      await this.#standing.work.stop(false)
      this.#standing.membership.store.close()
    }
    try {
      await this.#begin(await this.#store.open(identity, key, { isForced: true }))
    } catch (error) {
      this.#change('to open the swarm', () => this.#reopen(identity, key))
      throw error
    }
    return identity.nodeId
  }

  /** Of a manager, also of one that cannot open its swarm. */
  #known(): { identity: ManagerIdentity; key: Buffer } {
    const standing = this.#standing
    if (standing.is !== 'error' || 'credentials' in standing.identity || !('plain' in standing.identity.key)) {
      return this.membership
    }
    return { identity: standing.identity, key: Buffer.from(standing.identity.key.plain, 'base64') }
  }

  /** Nothing of a swarm stays on this machine. */
  async #forget(): Promise<void> {
    await this.#store.forget()
    await forgetSwarm(this.#folder)
  }

  /** Until it is done, or this node is to be something else. */
  #change(name: string, work: () => Promise<void>): void {
    void this.#changes.run(name, () => this.#inTurn(work))
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work, work)
    this.#last = mine.catch(() => {})
    return mine
  }
}

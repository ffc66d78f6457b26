// Everything a swarm knows: kept in etcd, read from memory. Every write names the version that it was made from, and is
// refused when that is no longer the newest. Memory follows etcd's watch, so all managers see changes in one order.
import type { Log } from '@atoll/kernel/telemetry/log'
import { unavailable } from '../../errors.ts'
import { claimsOf } from './claims.ts'
import type { EtcdClient, Transaction, Watch, WatchEvent } from './etcd-client.ts'
import { type Kind, type Kinds, kinds, type Stored } from './objects.ts'

const root = '/atoll/'
const claimsRoot = `${root}names/`
const marksRoot = `${root}marks/`
const maxTries = 20
const reopenMs = 200
const followMs = 10_000

/** An object as it shall be. `index`: the version that it is made from, 0 for one that is new. */
export interface Write<K extends Kind = Kind> {
  kind: K
  object: Kinds[K]
  index: number
}

/** Whatever its version is. */
export interface Removal {
  kind: Kind
  id: string
}

/** A word that managers leave for one another; with a lease it goes when its author does. */
export interface Mark {
  value: string
  revision: number
}

/** A mark that every write of its kind changes: none is made without having seen the one before. */
export interface Guard {
  mark: string
  revision: number
}

/** A mark that has to be as it was: it is gone, or another, when its author has no say any more. */
export type Fence = Guard

export interface CommitConditions {
  guard?: Guard
  fence?: Fence
}

export interface Changed<K extends Kind = Kind> {
  kind: K
  id: string
  before: Kinds[K] | undefined
  after: Kinds[K] | undefined
}

type Listener = (change: Changed) => void
type MarkListener = (name: string, mark: Mark | undefined) => void

export class SwarmStore {
  readonly #client: EtcdClient
  readonly #log: Log
  readonly #now: () => number
  readonly #objects: { [K in Kind]: Map<string, Kinds[K]> }
  /** Of each kind, made when it is asked for. */
  readonly #lists = new Map<Kind, readonly Kinds[Kind][]>()
  readonly #marks = new Map<string, Mark>()
  readonly #listeners = new Set<Listener>()
  /** By the node whose tasks they are told of: with many nodes most tasks are nothing to each. */
  readonly #taskListeners = new Map<string, Set<(taskId: string) => void>>()
  readonly #markListeners = new Set<MarkListener>()
  readonly #followers = new Set<{ revision: number; done(): void }>()
  #watch: Watch | undefined
  #revision = 0
  #isClosed = false

  constructor(client: EtcdClient, log: Log, now: () => number) {
    this.#client = client
    this.#log = log
    this.#now = now
    this.#objects = Object.fromEntries(kinds.map((kind) => [kind, new Map()])) as unknown as {
      [K in Kind]: Map<string, Kinds[K]>
    }
  }

  async open(): Promise<void> {
    const { entries, revision } = await this.#client.range(root)
    const seen = new Set(entries.map(({ key }) => key))
    for (const kind of kinds) {
      for (const id of this.#objects[kind].keys()) if (!seen.has(keyOf(kind, id))) this.#forget(kind, id)
    }
    for (const name of this.#marks.keys()) if (!seen.has(markKey(name))) this.#takeMark(name, undefined)
    this.#take(
      entries.map((entry) => ({ type: 'put', entry })),
      revision,
    )
    this.#follow()
  }

  close(): void {
    this.#isClosed = true
    this.#watch?.close()
    this.#client.close()
  }

  /** The same list until one of them changes. */
  all<K extends Kind>(kind: K): readonly Kinds[K][] {
    const known = this.#lists.get(kind) as readonly Kinds[K][] | undefined
    if (known !== undefined) return known
    const list = [...this.#objects[kind].values()]
    this.#lists.set(kind, list)
    return list
  }

  get<K extends Kind>(kind: K, id: string): Kinds[K] | undefined {
    return this.#objects[kind].get(id)
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Tasks that a node has, or had until now. */
  listenTasksOf(nodeId: string, listener: (taskId: string) => void): () => void {
    const listeners = this.#taskListeners.get(nodeId) ?? new Set()
    this.#taskListeners.set(nodeId, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#taskListeners.delete(nodeId)
    }
  }

  mark(name: string): Mark | undefined {
    return this.#marks.get(name)
  }

  listenMarks(listener: MarkListener): () => void {
    this.#markListeners.add(listener)
    return () => this.#markListeners.delete(listener)
  }

  /**
   * All of it or nothing; false: something of it changed meanwhile, or something that is given once is taken. Memory
   * has it then, and what was in the way.
   */
  async commit(
    writes: readonly Write[],
    removals: readonly Removal[] = [],
    conditions: CommitConditions = {},
  ): Promise<boolean> {
    for (let attempt = 0; attempt < maxTries; attempt++) {
      const { isDone, revision } = await this.#client.commit(this.#transaction(writes, removals, conditions))
      await this.#reached(revision)
      if (isDone) return true
      // What is removed is removed whatever it became meanwhile.
      if (writes.length > 0 || !this.#holds(conditions.fence)) return false
    }
    throw unavailable('What is to be removed from the swarm changes all the time: try again')
  }

  /** Nothing of the swarm is kept any more. */
  async removeAll(): Promise<void> {
    await this.#client.removeAll(root)
  }

  /** False: it is no longer at this revision; 0 for one that is not there. */
  async setMark(
    name: string,
    value: string,
    { revision, lease }: { revision: number; lease: string },
  ): Promise<boolean> {
    const key = markKey(name)
    const put = { key, value, lease }
    const answer = await this.#client.commit({ conditions: [{ key, revision }], puts: [put], deletes: [] })
    await this.#reached(answer.revision)
    return answer.isDone
  }

  #holds(fence: Fence | undefined): boolean {
    return fence === undefined || this.mark(fence.mark)?.revision === fence.revision
  }

  #transaction(
    writes: readonly Write[],
    removals: readonly Removal[],
    { guard, fence }: CommitConditions,
  ): Transaction {
    const conditions: Transaction['conditions'][number][] = []
    const puts: Transaction['puts'][number][] = []
    const deletes: string[] = []
    const [claimed, freed] = [new Map<string, string>(), new Set<string>()]
    const time = new Date(this.#now()).toISOString().replace('Z', '000000Z')
    for (const { kind, object, index } of writes) {
      const key = keyOf(kind, object.ID)
      conditions.push({ key, revision: index })
      const { Version: _, ...kept } = object
      puts.push({ key, value: JSON.stringify({ ...kept, CreatedAt: object.CreatedAt || time, UpdatedAt: time }) })
      const [now, before] = [claimsOf(kind, object), claimsOf(kind, this.get(kind, object.ID))]
      for (const claim of before) if (!now.includes(claim)) freed.add(claim)
      for (const claim of now) if (!before.includes(claim)) claimed.set(claim, object.ID)
    }
    if (fence !== undefined) conditions.push({ key: markKey(fence.mark), revision: fence.revision })
    if (guard !== undefined) {
      conditions.push({ key: markKey(guard.mark), revision: guard.revision })
      puts.push({ key: markKey(guard.mark), value: '' })
    }
    for (const { kind, id } of removals) {
      const known = this.get(kind, id)
      if (known === undefined) continue
      conditions.push({ key: keyOf(kind, id), revision: known.Version.Index })
      deletes.push(keyOf(kind, id))
      for (const claim of claimsOf(kind, known)) freed.add(claim)
    }
    for (const [claim, id] of claimed) {
      // What one of them gives up another may have at once.
      if (!freed.delete(claim)) conditions.push({ key: claimsRoot + claim, revision: 0 })
      puts.push({ key: claimsRoot + claim, value: id })
    }
    return { conditions, puts, deletes: [...deletes, ...[...freed].map((claim) => claimsRoot + claim)] }
  }

  #follow(): void {
    this.#watch = this.#client.watch(root, this.#revision + 1, {
      events: (events) => this.#take(events, Math.max(...events.map(revisionOf))),
      ended: (isCompacted) => {
        if (!this.#isClosed) setTimeout(() => this.#reopen(isCompacted), reopenMs).unref()
      },
    })
  }

  #reopen(isCompacted: boolean): void {
    if (this.#isClosed) return
    if (!isCompacted) {
      this.#follow()
      return
    }
    this.open().catch((error: Error) => {
      this.#log.warn({ error: error.message }, 'the store of the swarm cannot be read again yet')
      setTimeout(() => this.#reopen(true), reopenMs).unref()
    })
  }

  #take(events: readonly WatchEvent[], revision: number): void {
    for (const event of events) this.#takeOne(event)
    this.#revision = Math.max(this.#revision, revision)
    for (const follower of this.#followers) if (follower.revision <= this.#revision) follower.done()
  }

  #takeOne(event: WatchEvent): void {
    const key = event.type === 'put' ? event.entry.key : event.key
    if (key.startsWith(marksRoot)) {
      this.#takeMark(key.slice(marksRoot.length), event.type === 'put' ? event.entry : undefined)
      return
    }
    const [kind, id] = placeOf(key) ?? []
    if (kind === undefined || id === undefined) return
    if (event.type === 'delete') {
      this.#forget(kind, id)
      return
    }
    const { value, revision } = event.entry
    const after = { ...JSON.parse(value), Version: { Index: revision } }
    const objects = this.#objects[kind] as Map<string, Stored>
    const before = objects.get(id)
    if (before !== undefined && before.Version.Index >= revision) return
    objects.set(id, after)
    this.#lists.delete(kind)
    this.#tell({ kind, id, before: before as Kinds[Kind] | undefined, after })
  }

  #forget(kind: Kind, id: string): void {
    const before = this.#objects[kind].get(id)
    if (!this.#objects[kind].delete(id)) return
    this.#lists.delete(kind)
    this.#tell({ kind, id, before, after: undefined })
  }

  #takeMark(name: string, mark: Mark | undefined): void {
    if (mark === undefined) this.#marks.delete(name)
    else this.#marks.set(name, { value: mark.value, revision: mark.revision })
    for (const listener of this.#markListeners) this.#call(() => listener(name, this.#marks.get(name)))
  }

  #tell(change: Changed): void {
    for (const listener of this.#listeners) this.#call(() => listener(change))
    if (change.kind !== 'task') return
    const { before, after } = change as Changed<'task'>
    for (const nodeId of new Set([before?.NodeID, after?.NodeID])) {
      for (const listener of this.#taskListeners.get(nodeId ?? '') ?? []) this.#call(() => listener(change.id))
    }
  }

  /** What one of them cannot make sense of the others hear all the same: the store may hold what nobody expects. */
  #call(tell: () => void): void {
    try {
      tell()
    } catch (error) {
      this.#log.error({ error: (error as Error).message }, 'a change of the swarm makes no sense here')
    }
  }

  #reached(revision: number): Promise<void> {
    if (this.#revision >= revision) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#followers.delete(follower)
        // Whoever should tell of it may be gone without a word.
        this.#watch?.renew()
        reject(unavailable('The store of the swarm took the change, and does not tell of it'))
      }, followMs)
      const follower = {
        revision,
        done: () => {
          clearTimeout(timer)
          this.#followers.delete(follower)
          resolve()
        },
      }
      this.#followers.add(follower)
    })
  }
}

const revisionOf = (event: WatchEvent): number => (event.type === 'put' ? event.entry.revision : event.revision)

const keyOf = (kind: Kind, id: string): string => `${root}${kind}/${id}`

const markKey = (name: string): string => `${marksRoot}${name}`

function placeOf(key: string): [Kind, string] | undefined {
  const [kind = '', id = '', ...rest] = key.slice(root.length).split('/')
  const found = kinds.find((each) => each === kind)
  return found === undefined || id === '' || rest.length > 0 ? undefined : [found, id]
}

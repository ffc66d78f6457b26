// Everything a swarm knows: kept in etcd, read from memory. Every write names the version that it was made from, and is
// refused when that is no longer the newest. Memory follows etcd's watch, so all managers see changes in one order.
import type { Log } from '@atoll/kernel/telemetry/log'
import { unavailable } from '../../errors.ts'
import type { EtcdClient, Transaction, Watch, WatchEvent } from './etcd-client.ts'
import { type Kind, type Kinds, kinds, type Stored } from './objects.ts'

const root = '/atoll/'
const namesRoot = `${root}names/`
const reopenMs = 200
const followMs = 10_000

/** An object as it shall be. `index`: the version that it is made from, 0 for one that is new. */
export interface Write<K extends Kind = Kind> {
  kind: K
  object: Kinds[K]
  index: number
}

/** `index` undefined: whatever its version is. */
export interface Removal {
  kind: Kind
  id: string
  index?: number
}

export interface Changed<K extends Kind = Kind> {
  kind: K
  id: string
  before: Kinds[K] | undefined
  after: Kinds[K] | undefined
}

type Listener = (change: Changed) => void

export class SwarmStore {
  readonly #client: EtcdClient
  readonly #log: Log
  readonly #now: () => number
  readonly #objects: { [K in Kind]: Map<string, Kinds[K]> }
  readonly #listeners = new Set<Listener>()
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

  all<K extends Kind>(kind: K): Kinds[K][] {
    return [...this.#objects[kind].values()]
  }

  get<K extends Kind>(kind: K, id: string): Kinds[K] | undefined {
    return this.#objects[kind].get(id)
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * All of it or nothing; false: something of it changed meanwhile, or a name is taken. Done when memory has it as
   * well.
   */
  async commit(writes: readonly Write[], removals: readonly Removal[] = []): Promise<boolean> {
    const revision = await this.#client.commit(this.#transaction(writes, removals))
    if (revision === undefined) return false
    await this.#reached(revision)
    return true
  }

  #transaction(writes: readonly Write[], removals: readonly Removal[]): Transaction {
    const conditions: Transaction['conditions'][number][] = []
    const puts: Transaction['puts'][number][] = []
    const deletes: string[] = []
    const time = new Date(this.#now()).toISOString().replace('Z', '000000Z')
    for (const { kind, object, index } of writes) {
      const key = keyOf(kind, object.ID)
      conditions.push({ key, revision: index })
      const { Version: _, ...kept } = object
      puts.push({ key, value: JSON.stringify({ ...kept, CreatedAt: object.CreatedAt || time, UpdatedAt: time }) })
      const [name, before] = [nameKey(kind, object), nameKey(kind, this.get(kind, object.ID))]
      if (name === before) continue
      if (before !== undefined) deletes.push(before)
      if (name === undefined) continue
      conditions.push({ key: name, revision: 0 })
      puts.push({ key: name, value: object.ID })
    }
    for (const { kind, id, index } of removals) {
      const key = keyOf(kind, id)
      if (index !== undefined) conditions.push({ key, revision: index })
      const name = nameKey(kind, this.get(kind, id))
      deletes.push(key, ...(name === undefined ? [] : [name]))
    }
    return { conditions, puts, deletes }
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
    this.#tell({ kind, id, before: before as Kinds[Kind] | undefined, after })
  }

  #forget(kind: Kind, id: string): void {
    const before = this.#objects[kind].get(id)
    if (!this.#objects[kind].delete(id)) return
    this.#tell({ kind, id, before, after: undefined })
  }

  #tell(change: Changed): void {
    for (const listener of this.#listeners) listener(change)
  }

  #reached(revision: number): Promise<void> {
    if (this.#revision >= revision) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#followers.delete(follower)
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

const namedKinds: readonly Kind[] = ['service', 'secret', 'config']

/** Of kinds whose names are each given once. */
function nameKey(kind: Kind, object: Stored | undefined): string | undefined {
  if (!namedKinds.includes(kind)) return undefined
  const { Name: name } = (object?.Spec ?? {}) as { Name?: string }
  return name === undefined ? undefined : `${namesRoot}${kind}/${name}`
}

function placeOf(key: string): [Kind, string] | undefined {
  const [kind = '', id = '', ...rest] = key.slice(root.length).split('/')
  const found = kinds.find((each) => each === kind)
  return found === undefined || id === '' || rest.length > 0 ? undefined : [found, id]
}

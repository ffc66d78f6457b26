// Which managers are there, and which of them leads. Each keeps a lease in the store: its presence and, of one of them,
// the leader's mark hang on it, so both go when it no longer says that it is there.
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { EtcdClient } from '../store/etcd-client.ts'
import { type LedStore, ledStore } from '../store/led-store.ts'
import type { SwarmStore } from '../store/swarm-store.ts'

export interface LeadershipParts {
  client: EtcdClient
  store: SwarmStore
  nodeId: string
  log: Log
  /** This manager leads from now on, until what it returns is called; what it writes as the leader, it writes there. */
  lead(store: LedStore): Promise<() => Promise<void>>
}

const leaseSeconds = 3
const leaseMs = leaseSeconds * 1000
const betweenSignsMs = leaseMs / 3
const leaderMark = 'leader'
const presentPrefix = 'present/'

/** Undefined: nobody leads now. */
export const leaderOf = (store: SwarmStore): string | undefined => store.mark(leaderMark)?.value.split(' ')[0]

export const isPresent = (store: Pick<SwarmStore, 'mark'>, nodeId: string): boolean =>
  store.mark(presentPrefix + nodeId) !== undefined

/** Told when a manager came or went. */
export const listenPresence = (
  store: Pick<SwarmStore, 'listenMarks'>,
  changed: (nodeId: string) => void,
): (() => void) =>
  store.listenMarks((name) => {
    if (name.startsWith(presentPrefix)) changed(name.slice(presentPrefix.length))
  })

export class Leadership {
  readonly #parts: LeadershipParts
  readonly #stopListening: () => void
  #lease: string | undefined
  /** When the store last heard of this manager. */
  #heardAt = 0
  #wake = (): void => {}
  #running: Promise<void> = Promise.resolve()
  #switching: Promise<void> = Promise.resolve()
  #stopLeading: (() => Promise<void>) | undefined
  #isStopped = false

  constructor(parts: LeadershipParts) {
    this.#parts = parts
    this.#stopListening = parts.store.listenMarks((name) => {
      if (name !== leaderMark) return
      this.#follow()
      this.#wake()
    })
  }

  /** Whether this one leads is decided when it is done, where the store can be written. */
  async start(): Promise<void> {
    await this.#sign()
    await this.#switching
    this.#running = this.#run()
  }

  /** Others lead at once. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopListening()
    this.#wake()
    await this.#running
    this.#follow()
    await this.#switching
    if (this.#lease !== undefined) await this.#parts.client.revokeLease(this.#lease).catch(() => {})
  }

  get #value(): string {
    return `${this.#parts.nodeId} ${this.#lease}`
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      await Promise.race([woken, pause(betweenSignsMs, undefined, { ref: false })])
      if (!this.#isStopped) await this.#sign()
    }
  }

  /** Says that this manager is there, and takes the lead where nobody has it. */
  async #sign(): Promise<void> {
    const { client, log } = this.#parts
    const begunAt = performance.now()
    try {
      if (this.#lease !== undefined && !(await client.keepAlive(this.#lease, leaseMs))) this.#lease = undefined
      this.#lease ??= await this.#present()
      this.#heardAt = begunAt
      await this.#stand()
    } catch (error) {
      log.debug({ error: (error as Error).message }, 'the store of the swarm does not hear of this manager')
      // By now it has ended, whatever the store says later.
      if (performance.now() - this.#heardAt > leaseMs) this.#lease = undefined
    }
    this.#follow()
  }

  async #present(): Promise<string> {
    const { client, store, nodeId } = this.#parts
    const lease = await client.grantLease(leaseSeconds)
    const name = presentPrefix + nodeId
    for (;;) {
      const revision = store.mark(name)?.revision ?? 0
      if (await store.setMark(name, nodeId, { revision, lease })) return lease
    }
  }

  async #stand(): Promise<void> {
    const { store, nodeId } = this.#parts
    const lease = this.#lease
    if (lease === undefined || (leaderOf(store) !== undefined && leaderOf(store) !== nodeId)) return
    const mark = store.mark(leaderMark)
    // One of its own, from before it was started again, is as good as none.
    if (mark?.value === this.#value) return
    await store.setMark(leaderMark, this.#value, { revision: mark?.revision ?? 0, lease })
  }

  #isLeading(): boolean {
    return !this.#isStopped && this.#lease !== undefined && this.#parts.store.mark(leaderMark)?.value === this.#value
  }

  #follow(): void {
    this.#switching = this.#switching.then(() => this.#switch())
  }

  async #switch(): Promise<void> {
    const { lead, store, log } = this.#parts
    const isLeading = this.#isLeading()
    if (isLeading === (this.#stopLeading !== undefined)) return
    if (isLeading) {
      this.#stopLeading = await lead(
        ledStore(store, { mark: leaderMark, revision: store.mark(leaderMark)?.revision ?? 0 }),
      ).catch((error: Error) => {
        log.error({ error: error.message }, 'this manager cannot lead the swarm')
        return undefined
      })
      return
    }
    const stop = this.#stopLeading
    this.#stopLeading = undefined
    await stop?.().catch((error: Error) => log.error({ error: error.message }, 'this manager did not stop leading'))
  }
}

// Which nodes are there. A worker says so every few seconds; one that is silent for three times as long is down, and
// its tasks go elsewhere. One that a new leader has not heard of yet has twice that. Of managers the store tells whether
// they are there.
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Opening } from '../session/messages.ts'
import { changeObject } from '../store/change-object.ts'
import type { LedStore } from '../store/led-store.ts'
import type { KeptNode } from '../store/objects.ts'
import { isPresent, listenPresence } from './leadership.ts'

export interface NodeHealthParts {
  store: LedStore
  log: Log
  /** How often workers are to say that they are there. */
  periodMs(): number
}

type TLSInfo = KeptNode['Description']['TLSInfo']

/** What a node tells of itself. */
type NodeFacts = Omit<Extract<Opening, { ask: 'session' }>, 'ask'>

const patience = 3
/** A worker may have been with the leader before: it notices after its own patience, and then looks for another. */
const unheardPatience = 2 * patience
const retryMs = 1_000

export class NodeHealth {
  readonly #parts: NodeHealthParts
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #stopListening: () => void
  #isStopped = false

  /** Nobody is down yet: those that are known have time to come here. */
  constructor(parts: NodeHealthParts) {
    this.#parts = parts
    for (const { ID, Spec, Status } of parts.store.all('node')) {
      if (isPresent(parts.store, ID)) this.#present(ID)
      else if (Status.State !== 'down') this.#expect(ID, Spec.Role === 'worker' ? unheardPatience : patience)
    }
    this.#stopListening = listenPresence(parts.store, (id) => {
      if (isPresent(parts.store, id)) this.#present(id)
      else this.alive(id)
    })
  }

  stop(): void {
    this.#isStopped = true
    this.#stopListening()
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }

  /** `issuer`: of the certificate that it showed. */
  async ready(
    id: string,
    { description, address: Addr, dataPath, tunnelKey }: NodeFacts,
    issuer?: TLSInfo,
  ): Promise<void> {
    this.alive(id)
    await changeObject(this.#parts.store, 'node', id, (node) => {
      const { TLSInfo } = node.Description
      const Description = { ...description, TLSInfo: { ...TLSInfo, ...issuer, TrustRoot: TLSInfo.TrustRoot } }
      const changed: KeptNode = {
        ...node,
        Description,
        Status: { State: 'ready', Message: '', Addr },
        dataPath,
        tunnelKey,
      }
      return JSON.stringify(changed) === JSON.stringify(node) ? undefined : changed
    })
  }

  /** It trusts another authority from now on. */
  async trusts(id: string, TrustRoot: string): Promise<void> {
    await changeObject(this.#parts.store, 'node', id, (node) => {
      const { Description } = node
      if (Description.TLSInfo.TrustRoot === TrustRoot) return undefined
      return { ...node, Description: { ...Description, TLSInfo: { ...Description.TLSInfo, TrustRoot } } }
    })
  }

  /** It has a session, and says that it is there: whoever wrote it down as down did not know. */
  beat(id: string): void {
    this.alive(id)
    if (this.#parts.store.get('node', id)?.Status.State === 'down') this.#back(id, () => true)
  }

  alive(id: string): void {
    this.#expect(id, patience)
  }

  async down(id: string, message: string): Promise<void> {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
    await changeObject(this.#parts.store, 'node', id, (node) =>
      node.Status.State === 'down'
        ? undefined
        : { ...node, Status: { ...node.Status, State: 'down', Message: message } },
    )
  }

  /** A manager that came back; what it is like it tells by itself when it starts. */
  #present(id: string): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
    this.#back(id, ({ Spec }) => Spec.Role === 'manager')
  }

  #back(id: string, isRight: (node: KeptNode) => boolean): void {
    changeObject(this.#parts.store, 'node', id, (node) =>
      node.Status.State === 'ready' || !isRight(node)
        ? undefined
        : { ...node, Status: { ...node.Status, State: 'ready', Message: '' } },
    ).catch((error: Error) => {
      this.#parts.log.warn({ node: id, error: error.message }, 'a node that is there could not be written down')
    })
  }

  #expect(id: string, periods: number): void {
    this.#waitFor(id, this.#parts.periodMs() * periods, 'heartbeat failure')
  }

  #waitFor(id: string, ms: number, message: string): void {
    clearTimeout(this.#timers.get(id))
    if (this.#isStopped) return
    const timer = setTimeout(() => {
      if (isPresent(this.#parts.store, id)) return
      this.down(id, message).catch((error: Error) => {
        this.#parts.log.warn({ node: id, error: error.message }, 'a node that is down could not be written down')
        this.#waitFor(id, retryMs, message)
      })
    }, ms)
    this.#timers.set(id, timer.unref())
  }
}

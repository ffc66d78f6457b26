// Which nodes are there. A worker says so every few seconds; one that is silent for three times as long is down, and
// its tasks go elsewhere. One that a new leader has not heard of yet has twice that. Of managers the store tells whether
// they are there.
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Opening } from '../session/messages.ts'
import { changeObject } from '../store/change-object.ts'
import type { LedStore } from '../store/led-store.ts'
import type { KeptNode } from '../store/objects.ts'
import { Retries } from '../store/retries.ts'
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

interface Told {
  facts: NodeFacts
  /** Of the certificate that it showed. */
  issuer: TLSInfo | undefined
}

const patience = 3
/** A worker may have been with the leader before: it notices after its own patience, and then looks for another. */
const unheardPatience = 2 * patience

export class NodeHealth {
  readonly #parts: NodeHealthParts
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #writes: Retries
  /** What nodes told when they came. */
  readonly #told = new Map<string, Told>()
  readonly #stopListening: () => void
  #isStopped = false

  /** Nobody is down yet: those that are known have time to come here. */
  constructor(parts: NodeHealthParts) {
    this.#parts = parts
    this.#writes = new Retries(parts.log)
    for (const { ID, Spec, Status } of parts.store.all('node')) {
      if (isPresent(parts.store, ID)) this.#present(ID)
      else if (Status.State !== 'down') this.#expect(ID, Spec.Role === 'worker' ? unheardPatience : patience)
    }
    const stopPresence = listenPresence(parts.store, (id) => {
      if (isPresent(parts.store, id)) this.#present(id)
      else this.alive(id)
    })
    const stopNodes = parts.store.listen(({ kind, id, after }) => {
      if (kind === 'node' && after === undefined) this.#told.delete(id)
    })
    this.#stopListening = () => {
      stopPresence()
      stopNodes()
    }
  }

  stop(): void {
    this.#isStopped = true
    this.#stopListening()
    void this.#writes.stop()
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
  }

  /** `issuer`: of the certificate that it showed. */
  ready(id: string, facts: NodeFacts, issuer?: TLSInfo): void {
    this.alive(id)
    this.#told.set(id, { facts, issuer })
    this.#writeReady(id, () => true)
  }

  /** It trusts another authority from now on. `isStill`: the one that is to be trusted. */
  trusts(id: string, TrustRoot: string, isStill: () => boolean): void {
    void this.#writes.run(`whom node ${id} trusts`, () =>
      changeObject(this.#parts.store, 'node', id, (node) => {
        const { Description } = node
        if (!isStill() || Description.TLSInfo.TrustRoot === TrustRoot) return undefined
        return { ...node, Description: { ...Description, TLSInfo: { ...Description.TLSInfo, TrustRoot } } }
      }),
    )
  }

  /** It has a session, and says that it is there: whoever wrote it down as down did not know. */
  beat(id: string): void {
    this.alive(id)
    if (this.#parts.store.get('node', id)?.Status.State === 'down') this.#writeReady(id, () => true)
  }

  alive(id: string): void {
    this.#expect(id, patience)
  }

  /** Resolves when it is written down, or nobody is to write it any more. */
  async down(id: string, message: string): Promise<void> {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
    await this.#writes.run(stateOf(id), () =>
      changeObject(this.#parts.store, 'node', id, (node) =>
        node.Status.State === 'down'
          ? undefined
          : { ...node, Status: { ...node.Status, State: 'down', Message: message } },
      ),
    )
  }

  /** A manager that came back; what it is like it tells by itself when it starts. */
  #present(id: string): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
    this.#told.delete(id)
    this.#writeReady(id, ({ Spec }) => Spec.Role === 'manager')
  }

  #writeReady(id: string, isRight: (node: KeptNode) => boolean): void {
    void this.#writes.run(stateOf(id), () =>
      changeObject(this.#parts.store, 'node', id, (node) => {
        if (!isRight(node)) return undefined
        const changed = asTold(node, this.#told.get(id))
        return JSON.stringify(changed) === JSON.stringify(node) ? undefined : changed
      }),
    )
  }

  #expect(id: string, periods: number): void {
    this.#waitFor(id, this.#parts.periodMs() * periods, 'heartbeat failure')
  }

  #waitFor(id: string, ms: number, message: string): void {
    clearTimeout(this.#timers.get(id))
    if (this.#isStopped) return
    const timer = setTimeout(() => {
      if (isPresent(this.#parts.store, id)) return
      void this.down(id, message)
    }, ms)
    this.#timers.set(id, timer.unref())
  }
}

const stateOf = (id: string): string => `whether node ${id} is there`

/** A node that is there, with what it told when it came. */
function asTold(node: KeptNode, told: Told | undefined): KeptNode {
  const Status: KeptNode['Status'] = { ...node.Status, State: 'ready', Message: '' }
  if (told === undefined) return { ...node, Status }
  const { description, address: Addr, dataPath, tunnelKey } = told.facts
  const { TLSInfo } = node.Description
  const Description = { ...description, TLSInfo: { ...TLSInfo, ...told.issuer, TrustRoot: TLSInfo.TrustRoot } }
  return { ...node, Description, Status: { ...Status, Addr }, dataPath, tunnelKey }
}

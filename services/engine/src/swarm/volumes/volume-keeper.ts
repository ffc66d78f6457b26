// Looks after the volumes of the cluster while its manager leads: has their plugin make them and remove them, lets
// nodes have those that their tasks need, and takes them back. What is to be done follows from what is kept, so
// whoever leads goes on; plugins may be asked twice.
import type { Log } from '@atoll/kernel/telemetry/log'
import { type CsiController, NotMade } from '../../plugins/csi/csi-controller.ts'
import type { CsiPlugins } from '../../plugins/csi/csi-plugins.ts'
import type { CsiVolume } from '../../plugins/csi/csi-volume.ts'
import type { PublishStatus } from '../../resources/volumes/cluster/schema.ts'
import { changeObject } from '../store/change-object.ts'
import type { LedStore } from '../store/led-store.ts'
import type { KeptTask, KeptVolume } from '../store/objects.ts'
import { Retries } from '../store/retries.ts'
import type { Changed } from '../store/swarm-store.ts'
import { nodesNeeding, nodesUsing } from './volume-uses.ts'

export interface VolumeKeeperParts {
  store: LedStore
  log: Log
  plugins: CsiPlugins
  secretsOf(volume: KeptVolume): Record<string, string>
  /** One after the other with whoever gives volumes to tasks. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
}

const longestRestMs = 30_000
const maxProblemLetters = 1_000

export class VolumeKeeper {
  readonly #parts: VolumeKeeperParts
  readonly #work: Retries
  /** Another manager leads: what plugins are asked for is broken off. */
  readonly #stopped = new AbortController()
  readonly #stopListening: (() => void)[]

  constructor(parts: VolumeKeeperParts) {
    this.#parts = parts
    this.#work = new Retries(parts.log, longestRestMs)
    this.#stopListening = [
      parts.store.listen((change) => this.#changed(change)),
      parts.plugins.listen(() => this.#lookAtAll()),
    ]
    this.#lookAtAll()
  }

  stop(): void {
    for (const stop of this.#stopListening) stop()
    this.#stopped.abort()
    void this.#work.stop()
  }

  #lookAtAll(): void {
    for (const { ID } of this.#parts.store.all('volume')) this.#look(ID)
  }

  #changed({ kind, id, before, after }: Changed): void {
    if (kind === 'volume' && !isOwnNote(before as KeptVolume, after as KeptVolume)) this.#look(id)
    if (kind === 'node' && after === undefined) this.#lookAtAll()
    if (kind !== 'task') return
    const { volumes = [] } = (after ?? before) as KeptTask
    for (const { ID } of volumes) this.#look(ID)
  }

  #look(id: string): void {
    void this.#work.run(`to look after volume ${id}`, async () => {
      try {
        await this.#advance(id)
      } catch (error) {
        await this.#tell(id, error as Error)
        throw error
      }
    })
  }

  /** For people who look at it. */
  async #tell(id: string, { message }: Error): Promise<void> {
    if (this.#stopped.signal.aborted) return
    const problem = message.slice(0, maxProblemLetters)
    await changeObject(this.#parts.store, 'volume', id, (volume) =>
      volume.problem === problem ? undefined : { ...volume, problem },
    )
  }

  #controller({ driver }: KeptVolume): CsiController {
    return this.#parts.plugins.controller(driver, this.#stopped.signal)
  }

  async #advance(id: string): Promise<void> {
    const { store, inTurn } = this.#parts
    const volume = store.get('volume', id)
    if (volume === undefined) return
    // One that may be there has to be known before it can be removed.
    const isKnown = volume.Info !== undefined || volume.isBeingMade !== true
    if (volume.isRemoving === true && isKnown && nodesUsing(store, volume).length === 0) return this.#remove(volume)
    if (volume.Info === undefined) return this.#create(volume)
    await inTurn(() => this.#decide(id))
    const { PublishStatus = [] } = store.get('volume', id) ?? {}
    for (const { NodeID, State } of PublishStatus) {
      if (State === 'pending-publish') {
        const name = await this.#nameOf(volume, NodeID)
        const PublishContext = await this.#controller(volume).publish(this.#told(volume), name)
        await this.#settle(id, NodeID, { NodeID, State: 'published', PublishContext })
      } else if (State === 'pending-controller-unpublish') {
        const name = store.get('volume', id)?.nodeNames?.[NodeID] ?? this.#csiNode(volume, NodeID)
        // The plugin was never told of it.
        if (name !== undefined) await this.#controller(volume).unpublish(this.#told(volume), name)
        await this.#settle(id, NodeID, undefined)
      }
    }
  }

  #csiNode({ driver }: KeptVolume, id: string): string | undefined {
    return this.#parts.store.get('node', id)?.csi?.find(({ plugin }) => plugin === driver)?.nodeId
  }

  /** Of a node, as the plugin calls it: written down before the plugin is told anything of it. */
  async #nameOf(volume: KeptVolume, nodeId: string): Promise<string> {
    const name = this.#csiNode(volume, nodeId)
    if (name === undefined) throw new Error(`node ${nodeId} has no plugin ${volume.driver} that is enabled`)
    await changeObject(this.#parts.store, 'volume', volume.ID, (kept) =>
      kept.nodeNames?.[nodeId] === name ? undefined : { ...kept, nodeNames: { ...kept.nodeNames, [nodeId]: name } },
    )
    return name
  }

  async #create(volume: KeptVolume): Promise<void> {
    const { store, secretsOf } = this.#parts
    const { ID, name, options: parameters, Spec: spec } = volume
    const wish = { name, spec, parameters, secrets: secretsOf(volume) }
    const controller = this.#controller(volume)
    // Whoever leads next must not forget what the plugin has made by then.
    await changeObject(store, 'volume', ID, (kept) => (kept.isBeingMade ? undefined : { ...kept, isBeingMade: true }))
    try {
      const Info = await controller.create(wish)
      await changeObject(store, 'volume', ID, ({ problem: _, isBeingMade: __, ...kept }) => ({ ...kept, Info }))
    } catch (error) {
      if (error instanceof NotMade) await changeObject(store, 'volume', ID, ({ isBeingMade: _, ...kept }) => kept)
      throw error
    }
  }

  async #remove(volume: KeptVolume): Promise<void> {
    const { store } = this.#parts
    if (volume.Info !== undefined) await this.#controller(volume).delete(this.#told(volume))
    await store.commit([], [{ kind: 'volume', id: volume.ID }])
  }

  /** Which nodes are to have it, and which are to let go of it. */
  async #decide(id: string): Promise<void> {
    const { store } = this.#parts
    await changeObject(store, 'volume', id, (volume) => {
      const needing = nodesNeeding(store, volume)
      const { PublishStatus: known = [] } = volume
      const next = known.map((status): PublishStatus => {
        const { NodeID, State } = status
        const isThere = store.get('node', NodeID) !== undefined
        if (needing.has(NodeID) && isThere) return status
        if (State === 'published' && isThere) return { ...status, State: 'pending-node-unpublish' }
        // Nobody there can be asked any more, or nobody there has seen it yet.
        const isUnseen = State === 'pending-publish' || !isThere
        return isUnseen ? { NodeID, State: 'pending-controller-unpublish' } : status
      })
      for (const NodeID of needing) {
        const isKnown = next.some((status) => status.NodeID === NodeID)
        if (!isKnown && store.get('node', NodeID) !== undefined) next.push({ NodeID, State: 'pending-publish' })
      }
      return JSON.stringify(next) === JSON.stringify(known) ? undefined : { ...volume, PublishStatus: next }
    })
  }

  async #settle(id: string, nodeId: string, status: PublishStatus | undefined): Promise<void> {
    await changeObject(this.#parts.store, 'volume', id, ({ problem: _, nodeNames, ...volume }) => {
      const { [nodeId]: __, ...others } = nodeNames ?? {}
      return {
        ...volume,
        nodeNames: status === undefined ? others : nodeNames,
        PublishStatus: (volume.PublishStatus ?? []).flatMap((each) => (each.NodeID === nodeId ? (status ?? []) : each)),
      }
    })
  }

  #told(volume: KeptVolume): CsiVolume {
    const { VolumeID: volumeId = '', VolumeContext: context = {} } = volume.Info ?? {}
    return { volumeId, context, access: volume.Spec.AccessMode, secrets: this.#parts.secretsOf(volume) }
  }
}

/** What it wrote down itself of a try asks for nothing: not at once for another try of what has just failed. */
const isOwnNote = (before: KeptVolume | undefined, after: KeptVolume | undefined): boolean =>
  before !== undefined && after !== undefined && JSON.stringify(essence(before)) === JSON.stringify(essence(after))

const essence = ({
  problem: _,
  isBeingMade: __,
  nodeNames: ___,
  Version: ____,
  UpdatedAt: _____,
  ...volume
}: KeptVolume) => volume

// Looks after the volumes of the cluster while its manager leads: has their plugin make them and remove them, lets
// nodes have those that their tasks need, and takes them back. What is to be done follows from what is kept, so
// whoever leads goes on; plugins may be asked twice.
import type { Log } from '@atoll/kernel/telemetry/log'
import { ContainerQueue } from '../../network/container-queue.ts'
import type { CsiPlugins } from '../../plugins/csi/csi-plugins.ts'
import type { CsiVolume } from '../../plugins/csi/csi-volume.ts'
import type { PublishStatus } from '../../resources/volumes/cluster/schema.ts'
import { changeObject } from '../store/change-object.ts'
import type { LedStore } from '../store/led-store.ts'
import type { KeptTask, KeptVolume } from '../store/objects.ts'
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

const [firstRetryMs, lastRetryMs] = [500, 30_000]
const maxProblemLetters = 1_000

export class VolumeKeeper {
  readonly #parts: VolumeKeeperParts
  readonly #queue = new ContainerQueue()
  readonly #waiting = new Set<string>()
  /** Volumes of which something failed: when they are tried again. */
  readonly #retries = new Map<string, { timer: NodeJS.Timeout; afterMs: number }>()
  readonly #stopListening: (() => void)[]
  #isStopped = false

  constructor(parts: VolumeKeeperParts) {
    this.#parts = parts
    this.#stopListening = [
      parts.store.listen((change) => this.#changed(change)),
      parts.plugins.listen(() => this.#lookAtAll()),
    ]
    this.#lookAtAll()
  }

  stop(): void {
    this.#isStopped = true
    for (const stop of this.#stopListening) stop()
    for (const { timer } of this.#retries.values()) clearTimeout(timer)
  }

  #lookAtAll(): void {
    for (const { ID } of this.#parts.store.all('volume')) this.#look(ID)
  }

  #changed({ kind, id, before, after }: Changed): void {
    if (kind === 'volume') this.#look(id)
    if (kind === 'node' && after === undefined) this.#lookAtAll()
    if (kind !== 'task') return
    const { volumes = [] } = (after ?? before) as KeptTask
    for (const { ID } of volumes) this.#look(ID)
  }

  #look(id: string): void {
    if (this.#isStopped || this.#waiting.has(id)) return
    this.#waiting.add(id)
    void this.#queue.run(id, async () => {
      this.#waiting.delete(id)
      if (this.#isStopped) return
      try {
        await this.#advance(id)
        this.#retries.delete(id)
      } catch (error) {
        if (!this.#isStopped) this.#tryAgain(id, error as Error)
      }
    })
  }

  #tryAgain(id: string, { message }: Error): void {
    const { store, log } = this.#parts
    log.warn({ volume: id, error: message }, 'a volume of the cluster could not be looked after')
    const before = this.#retries.get(id)
    clearTimeout(before?.timer)
    const afterMs = Math.min(lastRetryMs, (before?.afterMs ?? firstRetryMs / 2) * 2)
    this.#retries.set(id, { afterMs, timer: setTimeout(() => this.#look(id), afterMs).unref() })
    const problem = message.slice(0, maxProblemLetters)
    changeObject(store, 'volume', id, (volume) =>
      volume.problem === problem ? undefined : { ...volume, problem },
    ).catch(() => {})
  }

  async #advance(id: string): Promise<void> {
    const { store, plugins, inTurn } = this.#parts
    const volume = store.get('volume', id)
    if (volume === undefined) return
    if (volume.isRemoving === true && nodesUsing(store, volume).length === 0) return this.#remove(volume)
    if (volume.Info === undefined) return this.#create(volume)
    await inTurn(() => this.#decide(id))
    const { PublishStatus = [] } = store.get('volume', id) ?? {}
    for (const { NodeID, State } of PublishStatus) {
      const nodeId = store.get('node', NodeID)?.csi?.find(({ plugin }) => plugin === volume.driver)?.nodeId
      if (State === 'pending-publish') {
        if (nodeId === undefined) throw new Error(`node ${NodeID} has no plugin ${volume.driver} that is enabled`)
        const PublishContext = await plugins.controller(volume.driver).publish(this.#told(volume), nodeId)
        await this.#settle(id, NodeID, { NodeID, State: 'published', PublishContext })
      } else if (State === 'pending-controller-unpublish') {
        // A node that is gone took its name with it: the plugin is told the one of the swarm.
        await plugins.controller(volume.driver).unpublish(this.#told(volume), nodeId ?? NodeID)
        await this.#settle(id, NodeID, undefined)
      }
    }
  }

  async #create(volume: KeptVolume): Promise<void> {
    const { store, plugins, secretsOf } = this.#parts
    const { name, options: parameters, Spec: spec } = volume
    const Info = await plugins.controller(volume.driver).create({ name, spec, parameters, secrets: secretsOf(volume) })
    await changeObject(store, 'volume', volume.ID, ({ problem: _, ...kept }) => ({ ...kept, Info }))
  }

  async #remove(volume: KeptVolume): Promise<void> {
    const { store, plugins } = this.#parts
    if (volume.Info !== undefined) await plugins.controller(volume.driver).delete(this.#told(volume))
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
    await changeObject(this.#parts.store, 'volume', id, ({ problem: _, ...volume }) => ({
      ...volume,
      PublishStatus: (volume.PublishStatus ?? []).flatMap((each) => (each.NodeID === nodeId ? (status ?? []) : each)),
    }))
  }

  #told(volume: KeptVolume): CsiVolume {
    const { VolumeID: volumeId = '', VolumeContext: context = {} } = volume.Info ?? {}
    return { volumeId, context, access: volume.Spec.AccessMode, secrets: this.#parts.secretsOf(volume) }
  }
}

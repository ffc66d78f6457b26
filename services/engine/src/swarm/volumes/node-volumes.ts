// The volumes of the cluster on this machine: brought here when the first task needs them, and taken away when the
// managers say so. Plugins may be asked twice, so nothing of it is remembered when the engine ends.
import type { Log } from '@atoll/kernel/telemetry/log'
import { ContainerQueue } from '../../network/container-queue.ts'
import type { CsiPlugins } from '../../plugins/csi/csi-plugins.ts'
import { Retries } from '../store/retries.ts'
import type { CsiNodes, NodeVolume, VolumeSink } from './node-volume.ts'

export interface NodeVolumesParts {
  plugins: CsiPlugins
  log: Log
}

/** How managers are told; absent while none can be reached. */
export interface VolumeReports {
  /** What the plugins of this machine say of it. */
  csi(nodes: CsiNodes): void
  /** This node has let go of it. */
  unpublished(id: string): void
}

export class NodeVolumes implements VolumeSink {
  readonly #parts: NodeVolumesParts
  readonly #known = new Map<string, NodeVolume>()
  /** Where those are that were brought here. */
  readonly #paths = new Map<string, string>()
  readonly #queue = new ContainerQueue()
  readonly #waiting = new Set<() => void>()
  readonly #work: Retries
  readonly #stopListening: () => void
  #reports: VolumeReports | undefined

  constructor(parts: NodeVolumesParts) {
    this.#parts = parts
    this.#work = new Retries(parts.log)
    this.#stopListening = parts.plugins.listen(() => {
      // One that was disabled took its mounts with it.
      this.#paths.clear()
      this.#describe()
    })
  }

  /** `isLeaving`: nothing of them stays here. */
  async stop(isLeaving: boolean): Promise<void> {
    this.#stopListening()
    const ended = this.#work.stop()
    if (!isLeaving) return
    await ended
    await Promise.all([...this.#known.values()].map((volume) => this.#takeAway(volume)))
  }

  /** Nobody asks for it any more, nor tries again. */
  #takeAway(volume: NodeVolume): Promise<void> {
    const { plugins, log } = this.#parts
    return this.#queue
      .run(volume.id, () => plugins.node(volume.driver).unpublish(volume))
      .catch((error: Error) => log.warn({ volume: volume.name, error: error.message }, 'a volume stays mounted here'))
  }

  get all(): NodeVolume[] {
    return [...this.#known.values()]
  }

  connected(reports: VolumeReports | undefined): void {
    this.#reports = reports
    if (reports !== undefined) this.#describe()
  }

  volumes(all: NodeVolume[]): void {
    const given = new Set(all.map(({ id }) => id))
    for (const id of this.#known.keys()) if (!given.has(id)) this.volumeGone(id)
    for (const volume of all) this.volume(volume)
  }

  volume(volume: NodeVolume): void {
    this.#known.set(volume.id, volume)
    for (const look of this.#waiting) look()
    if (volume.state === 'pending-node-unpublish') this.#letGo(volume, () => this.#known.get(volume.id) === volume)
  }

  /** Also one that was forgotten by force: nobody waits for its end. */
  volumeGone(id: string): void {
    const volume = this.#known.get(id)
    this.#known.delete(id)
    if (volume?.state !== 'published' && volume?.state !== 'pending-node-unpublish') return
    // A plugin that was disabled took its mounts with it.
    const isThere = () => this.#parts.plugins.nodes().some(({ name }) => name === volume.driver)
    this.#letGo(volume, () => !this.#known.has(id) && isThere())
  }

  /** Where the volume is on this machine, once the managers let it be here. */
  async path(id: string, signal: AbortSignal): Promise<string> {
    await this.#untilPublished(id, signal)
    return this.#queue.run(id, async () => {
      const volume = this.#known.get(id)
      if (volume?.state !== 'published') throw new Error('the volume was taken away meanwhile')
      const path = this.#paths.get(id) ?? (await this.#parts.plugins.node(volume.driver).publish(volume))
      this.#paths.set(id, path)
      return path
    })
  }

  #untilPublished(id: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        this.#waiting.delete(look)
        signal.removeEventListener('abort', giveUp)
        settle()
      }
      const look = (): void => {
        if (this.#known.get(id)?.state === 'published') end(resolve)
      }
      const giveUp = (): void => end(() => reject(new Error('the volume is no longer needed')))
      this.#waiting.add(look)
      signal.addEventListener('abort', giveUp)
      if (signal.aborted) giveUp()
      else look()
    })
  }

  /** `isStill`: nothing else is wanted of it by now. */
  #letGo(volume: NodeVolume, isStill: () => boolean): void {
    const { id, name, driver } = volume
    void this.#work.run(`to take away volume ${name} (${id})`, () =>
      this.#queue.run(id, async () => {
        if (!isStill()) return
        this.#paths.delete(id)
        await this.#parts.plugins.node(driver).unpublish(volume)
        this.#reports?.unpublished(id)
      }),
    )
  }

  /** Tells the managers what the plugins say of this node; those that do not answer are asked again. */
  #describe(): void {
    const { plugins } = this.#parts
    void this.#work.run('to ask plugins what this node is to them', async () => {
      if (this.#reports === undefined) return
      const told = await Promise.allSettled(
        plugins.nodes().map(async (plugin) => ({ plugin: plugin.name, ...(await plugin.info()) })),
      )
      this.#reports?.csi(told.flatMap((each) => (each.status === 'fulfilled' ? each.value : [])))
      const failed = told.find((each) => each.status === 'rejected')
      if (failed !== undefined) throw failed.reason
    })
  }
}

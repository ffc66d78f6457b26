// The volumes of the cluster on this machine: brought here when the first task needs them, and taken away when the
// managers say so. Plugins may be asked twice, so nothing of it is remembered when the engine ends.
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@atoll/kernel/telemetry/log'
import { ContainerQueue } from '../../network/container-queue.ts'
import type { CsiPlugins } from '../../plugins/csi/csi-plugins.ts'
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

const [firstRetryMs, lastRetryMs] = [250, 30_000]

export class NodeVolumes implements VolumeSink {
  readonly #parts: NodeVolumesParts
  readonly #known = new Map<string, NodeVolume>()
  /** Where those are that were brought here. */
  readonly #paths = new Map<string, string>()
  readonly #queue = new ContainerQueue()
  readonly #waiting = new Set<() => void>()
  readonly #stopped = new AbortController()
  readonly #stopListening: () => void
  #reports: VolumeReports | undefined
  /** What is asked of plugins is for the last change of them. */
  #asking = 0

  constructor(parts: NodeVolumesParts) {
    this.#parts = parts
    this.#stopListening = parts.plugins.listen(() => {
      // One that was disabled took its mounts with it.
      this.#paths.clear()
      void this.#describe()
    })
  }

  stop(): void {
    this.#stopListening()
    this.#stopped.abort()
  }

  get all(): NodeVolume[] {
    return [...this.#known.values()]
  }

  connected(reports: VolumeReports | undefined): void {
    this.#reports = reports
    if (reports !== undefined) void this.#describe()
  }

  volumes(all: NodeVolume[]): void {
    const given = new Set(all.map(({ id }) => id))
    for (const id of this.#known.keys()) if (!given.has(id)) this.volumeGone(id)
    for (const volume of all) this.volume(volume)
  }

  volume(volume: NodeVolume): void {
    this.#known.set(volume.id, volume)
    for (const look of this.#waiting) look()
    if (volume.state === 'pending-node-unpublish') void this.#letGo(volume)
  }

  /** Also one that was forgotten by force: nobody waits for its end. */
  volumeGone(id: string): void {
    const volume = this.#known.get(id)
    this.#known.delete(id)
    if (volume?.state !== 'published') return
    const { plugins, log } = this.#parts
    void this.#queue
      .run(id, async () => {
        this.#paths.delete(id)
        await plugins.node(volume.driver).unpublish(volume)
      })
      .catch((error: Error) => log.warn({ volume: volume.name, error: error.message }, 'a volume stays mounted here'))
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

  #letGo(volume: NodeVolume): Promise<void> {
    const { plugins, log } = this.#parts
    return this.#queue.run(volume.id, async () => {
      for (let waitMs = firstRetryMs; this.#known.get(volume.id) === volume; waitMs = later(waitMs)) {
        try {
          this.#paths.delete(volume.id)
          await plugins.node(volume.driver).unpublish(volume)
          this.#reports?.unpublished(volume.id)
          return
        } catch (error) {
          log.warn({ volume: volume.name, error: (error as Error).message }, 'a volume cannot be taken away yet')
        }
        if (!(await this.#rest(waitMs))) return
      }
    })
  }

  /** Tells the managers what the plugins say of this node; those that do not answer are asked again. */
  async #describe(): Promise<void> {
    const { plugins, log } = this.#parts
    const asking = ++this.#asking
    for (let waitMs = firstRetryMs; this.#reports !== undefined && asking === this.#asking; waitMs = later(waitMs)) {
      const told = await Promise.allSettled(
        plugins.nodes().map(async (plugin) => ({ plugin: plugin.name, ...(await plugin.info()) })),
      )
      if (asking !== this.#asking) return
      this.#reports?.csi(told.flatMap((each) => (each.status === 'fulfilled' ? each.value : [])))
      const failed = told.find((each) => each.status === 'rejected')
      if (failed === undefined) return
      log.warn({ error: (failed.reason as Error).message }, 'a CSI plugin does not say what this node is to it')
      if (!(await this.#rest(waitMs))) return
    }
  }

  /** False: it is over. */
  async #rest(ms: number): Promise<boolean> {
    await pause(ms, undefined, { ref: false, signal: this.#stopped.signal }).catch(() => {})
    return !this.#stopped.signal.aborted
  }
}

const later = (ms: number): number => Math.min(ms * 2, lastRetryMs)

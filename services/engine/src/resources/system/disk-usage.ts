// What takes up space. Looking is slow, so those who ask while somebody looks wait for the same answer.
import { unavailable } from '../../errors.ts'
import type { UsageSources } from './ports.ts'
import type { DiskUsage, UsageKind } from './schema.ts'

const usageDeadlineMs = 120_000

export class SharedUsage {
  readonly #sources: UsageSources
  readonly #running = new Map<UsageKind, Promise<DiskUsage>>()
  readonly #deadlineMs: number

  constructor(sources: UsageSources, deadlineMs = usageDeadlineMs) {
    this.#sources = sources
    this.#deadlineMs = deadlineMs
  }

  async of(kinds: readonly UsageKind[]): Promise<DiskUsage> {
    const parts = await Promise.all(kinds.map((kind) => this.#share(kind)))
    return Object.assign({}, ...parts)
  }

  #share(kind: UsageKind): Promise<DiskUsage> {
    const known = this.#running.get(kind)
    if (known !== undefined) return known
    const looking = withDeadline(this.#look(kind), this.#deadlineMs).finally(() => this.#running.delete(kind))
    this.#running.set(kind, looking)
    return looking
  }

  async #look(kind: UsageKind): Promise<DiskUsage> {
    switch (kind) {
      case 'container':
        return { Containers: await this.#containers() }
      case 'image': {
        const { images, layerBytes } = await this.#sources.images()
        return { LayersSize: layerBytes, Images: [...images] }
      }
      case 'volume':
        return { Volumes: [...(await this.#sources.volumes())] }
      case 'build-cache':
        return { BuildCache: [...(await this.#sources.buildCache())] }
    }
  }

  /** Logs are part of what a container has written. */
  async #containers(): Promise<Record<string, unknown>[]> {
    const containers = await this.#sources.containers()
    return Promise.all(
      containers.map(async (container) => {
        const logs = await this.#sources.logBytes(container.Id)
        return { ...container, SizeRw: (container.SizeRw ?? 0) + logs, SizeLogs: logs }
      }),
    )
  }
}

async function withDeadline<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('looking at the disk took too long; try again later')), deadlineMs)
  })
  try {
    return await Promise.race([work, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

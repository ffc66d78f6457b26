// The list of containers. The plain ones are made once a second at most, and as text once only.
import type { Filters } from '../query/schema.ts'
import { type Container, isUp } from './container.ts'
import { seconds, within } from './deadline.ts'
import { ImageNames } from './image-names.ts'
import { linkNames } from './links.ts'
import { type Condition, conditionsOf, type FilterSources } from './list-filters.ts'
import type { ContainerRecord } from './record.ts'
import { type Summary, summarize } from './summary.ts'
import type { World } from './world.ts'

export interface ListOptions {
  all: boolean
  /** The newest so many, at rest or not. */
  limit?: number | undefined
  size: boolean
  filters: Filters
}

const sizeDeadline = seconds(60)

interface Known {
  version: number
  second: number
  list: readonly Summary[]
}

export class ContainerList {
  readonly #world: World
  readonly #sources: FilterSources
  readonly #imageNames: ImageNames
  readonly #known = new Map<boolean, Known>()

  constructor(world: World, sources: FilterSources) {
    this.#world = world
    this.#sources = sources
    this.#imageNames = new ImageNames(world)
  }

  async list({ all, limit = 0, size, filters }: ListOptions): Promise<readonly Summary[]> {
    const isPlain = limit <= 0 && !size && Object.keys(filters).length === 0
    if (isPlain) return this.#plain(all)
    const conditions = await conditionsOf(filters, this.#sources)
    // A status was asked for by name: also that of containers at rest.
    const isAll = all || limit > 0 || filters.status !== undefined
    const found = this.#choose([...(isAll ? [] : [upOnly]), ...conditions])
    const containers = limit > 0 ? found.slice(0, limit) : found
    const now = this.#world.now()
    const names = linkNames(this.#world)
    const summaries = containers.map(({ record }) => this.#summarize(record, now, names))
    return size ? this.#withSizes(summaries) : summaries
  }

  /** Frozen: the server keeps its text as long as it lives. */
  #plain(all: boolean): readonly Summary[] {
    const now = this.#world.now()
    const second = Math.floor(now / 1000)
    const { version } = this.#world.registry
    const known = this.#known.get(all)
    if (known?.version === version && known.second === second) return known.list
    const names = linkNames(this.#world)
    const chosen = this.#choose(all ? [] : [upOnly])
    const list = Object.freeze(chosen.map(({ record }) => this.#summarize(record, now, names)))
    this.#known.set(all, { version, second, list })
    return list
  }

  #summarize(record: ContainerRecord, now: number, linked: ReadonlyMap<string, string[]>): Summary {
    const summary = summarize(record, now, this.#imageNames.shown(record))
    const more = linked.get(record.id)
    return more === undefined ? summary : { ...summary, Names: [...summary.Names, ...more] }
  }

  #choose(conditions: readonly Condition[]): Container[] {
    return this.#world.registry.all.filter((container) => conditions.every((holds) => holds(container)))
  }

  #withSizes(summaries: Summary[]): Promise<Summary[]> {
    const { images } = this.#world.ports
    return Promise.all(
      summaries.map(async (summary) => {
        const { own, all } = await within(sizeDeadline, 'the size', images.rootfsSize(summary.Id, summary.ImageID))
        return { ...summary, SizeRw: own, SizeRootFs: all }
      }),
    )
  }
}

const upOnly: Condition = ({ state }) => isUp(state)

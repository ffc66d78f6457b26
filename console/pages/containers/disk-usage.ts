// The engine's account of its disk, as piles of which the unused part can go.

interface Sized {
  Size?: number
  SharedSize?: number
}

export interface DiskUsage {
  LayersSize?: number
  Images: (Sized & { Containers: number; RepoTags: string[] | null })[] | null
  Containers: { State: string; SizeRw?: number }[] | null
  Volumes: { UsageData?: { Size: number; RefCount: number } | null }[] | null
  BuildCache: (Sized & { InUse: boolean })[] | null
}

export interface Pile {
  title: string
  /** In a sentence: `Would be removed: … (3)`. */
  what: string
  count: number
  unused: number
  bytes: number
  freed: number
  path: string
}

const filters = (value: object): string => `?filters=${encodeURIComponent(JSON.stringify(value))}`
const sum = (numbers: number[]): number => numbers.reduce((all, one) => all + Math.max(0, one), 0)
/** Layers that another image has too stay. */
const ownBytes = ({ Size = 0, SharedSize = 0 }: Sized): number => Size - Math.max(0, SharedSize)

export function pilesOf({ LayersSize, Images, Containers, Volumes, BuildCache }: DiskUsage): Pile[] {
  const [images, containers, volumes, cache] = [Images ?? [], Containers ?? [], Volumes ?? [], BuildCache ?? []]
  const ended = containers.filter(({ State }) => ['created', 'exited', 'dead'].includes(State))
  const unusedImages = images.filter(({ Containers: users }) => users <= 0)
  const unusedVolumes = volumes.filter(({ UsageData }) => UsageData?.RefCount === 0)
  const unusedCache = cache.filter(({ InUse }) => !InUse)
  const written = (all: typeof containers) => sum(all.map(({ SizeRw = 0 }) => SizeRw))
  const held = (all: typeof volumes) => sum(all.map(({ UsageData }) => UsageData?.Size ?? 0))
  return [
    {
      ...{ title: 'Containers', what: 'containers that do not run', path: '/containers/prune' },
      ...{ count: containers.length, unused: ended.length, bytes: written(containers), freed: written(ended) },
    },
    {
      ...{ title: 'Images', what: 'images that no container uses', count: images.length, unused: unusedImages.length },
      bytes: LayersSize ?? sum(images.map(({ Size = 0 }) => Size)),
      freed: sum(unusedImages.map(ownBytes)),
      path: `/images/prune${filters({ dangling: ['false'] })}`,
    },
    {
      ...{ title: 'Volumes', what: 'volumes that no container uses, with all in them' },
      ...{ count: volumes.length, unused: unusedVolumes.length, bytes: held(volumes), freed: held(unusedVolumes) },
      path: `/volumes/prune${filters({ all: ['true'] })}`,
    },
    {
      ...{ title: 'Build cache', what: 'steps of earlier builds', count: cache.length, unused: unusedCache.length },
      ...{ bytes: sum(cache.map(({ Size = 0 }) => Size)), freed: sum(unusedCache.map(({ Size = 0 }) => Size)) },
      path: '/build/prune?all=true',
    },
  ]
}

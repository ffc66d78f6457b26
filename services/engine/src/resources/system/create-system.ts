// What the engine tells of itself, put together from its parts.
import type { Kernel } from '@atoll/kernel/kernel'
import type { LiveConfig } from '../../config.ts'
import type { EngineEvents } from '../../events/engine-events.ts'
import type { HostFacts } from '../../runtime/oci/host.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { clusterOf } from '../../swarm/membership.ts'
import type { Swarm } from '../../swarm/swarm.ts'
import type { BuildCache } from '../build/build-cache.ts'
import type { Containers } from '../containers/service.ts'
import type { ImagesService } from '../images/service.ts'
import { clusterView } from '../swarm/service.ts'
import type { Volumes } from '../volumes/service.ts'
import { describeMembership } from './describe-membership.ts'
import { logBytes } from './log-bytes.ts'
import type { ContainerCounts } from './ports.ts'
import { System } from './service.ts'
import { engineId } from './store.ts'
import { type PluginNames, systemSettings } from './system-settings.ts'

export interface SystemParts {
  kernel: Kernel
  live: LiveConfig
  folder: string
  events: EngineEvents
  runtime: Runtime
  host: HostFacts
  containers: Containers
  imageService: ImagesService
  buildCache: BuildCache
  volumes: Volumes
  swarm: Swarm
  plugins: PluginNames
}

export async function createSystem(parts: SystemParts): Promise<System> {
  const { kernel, live, folder, events, runtime, host, containers, imageService, buildCache, volumes, swarm, plugins } =
    parts
  return new System({
    id: await engineId(kernel.db.queries, kernel.ids.hex()),
    clock: kernel.clock,
    events,
    runtime,
    host,
    settings: systemSettings(live, folder, plugins),
    containerCounts: () => countContainers(containers),
    imageCount: () => imageService.list({ all: true, filters: {}, manifests: false, 'shared-size': false }).length,
    swarmState: () => swarm.state,
    swarmCluster: () => clusterView(clusterOf(swarm.membership)),
    swarmNode: () => describeMembership(swarm),
    usage: {
      containers: async () => listed(await containers.list({ all: true, size: true, filters: {} })),
      logBytes: (id) => logBytes(containers.folderOf(id)),
      images: async () => imageService.usage(),
      volumes: async () => listed(await volumes.usage()),
      buildCache: () => buildCache.usage(),
    },
  })
}

/** Objects of a list, as plain objects of anything. */
const listed = <T extends object>(objects: readonly T[]): (T & Record<string, unknown>)[] =>
  objects as (T & Record<string, unknown>)[]

function countContainers(containers: Containers): ContainerCounts {
  const counts: ContainerCounts = { containers: 0, running: 0, paused: 0, stopped: 0 }
  for (const { state } of containers.all()) {
    counts.containers++
    if (state.status === 'running' || state.status === 'restarting') counts.running++
    else if (state.status === 'paused') counts.paused++
    else counts.stopped++
  }
  return counts
}

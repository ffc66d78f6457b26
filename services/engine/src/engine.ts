// The engine put together: images, networks, volumes and containers behind one HTTP service.
import { mkdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { HttpService } from '@atoll/kernel/http/service'
import type { Kernel } from '@atoll/kernel/kernel'
import { BuildWork } from './build/build-work.ts'
import { grpcRoutes } from './buildkit/grpc-route.ts'
import { openBuildKit } from './buildkit/open-buildkit.ts'
import { sessionRoutes } from './buildkit/session-route.ts'
import type { EngineCallers } from './callers.ts'
import { type EngineConfig, type LiveConfig, withReloadable } from './config.ts'
import { kernelErrors } from './errors.ts'
import { EngineEvents } from './events/engine-events.ts'
import { RegistryClient } from './images/registry/registry-client.ts'
import { readJson } from './json/read-json.ts'
import { LogForwarding } from './log-drivers/log-forwarding.ts'
import { ContainerMounts } from './mounts/container-mounts.ts'
import { authRoutes } from './resources/auth/routes.ts'
import { Auth } from './resources/auth/service.ts'
import { BuildCache } from './resources/build/build-cache.ts'
import { ContainerSteps } from './resources/build/container-steps.ts'
import { buildRoutes } from './resources/build/routes.ts'
import { Builds } from './resources/build/service.ts'
import { archiveRoutes } from './resources/containers/archive/routes.ts'
import { changesRoutes } from './resources/containers/changes/routes.ts'
import { exportRoutes } from './resources/containers/export/routes.ts'
import type { EngineDefaults } from './resources/containers/ports.ts'
import { containerRoutes } from './resources/containers/routes.ts'
import { Containers } from './resources/containers/service.ts'
import { distributionRoutes } from './resources/distribution/routes.ts'
import { Distribution } from './resources/distribution/service.ts'
import { commitRoutes } from './resources/images/commit/routes.ts'
import { openImages } from './resources/images/create-images.ts'
import { imageRoutes } from './resources/images/routes.ts'
import { createNetworks } from './resources/networks/create-networks.ts'
import { networkRoutes } from './resources/networks/routes.ts'
import { createPlugins, csiPlugins, type LogPlugins, logPlugins } from './resources/plugins/create-plugins.ts'
import { pluginRoutes } from './resources/plugins/routes.ts'
import { createSystem } from './resources/system/create-system.ts'
import { describeReload } from './resources/system/describe-reload.ts'
import { engineVersion } from './resources/system/engine-version.ts'
import { engineHeaders } from './resources/system/headers.ts'
import { systemRoutes } from './resources/system/routes.ts'
import { type PluginNames, systemSettings } from './resources/system/system-settings.ts'
import { volumeRoutes } from './resources/volumes/routes.ts'
import { Volumes } from './resources/volumes/service.ts'
import { buildNative } from './runtime/native-build.ts'
import { type HostFacts, readHostFacts } from './runtime/oci/host.ts'
import { OciSpecs } from './runtime/oci/specs.ts'
import { openOciRuntime } from './runtime/open-oci-runtime.ts'
import { createStreaming } from './streams/create-streaming.ts'
import { createSwarm } from './swarm/create-swarm.ts'
import type { NodeFacts } from './swarm/this-node.ts'
import { engineVersions } from './versions/versions.ts'

const maxJsonBytes = 16 * 1024 * 1024

export interface Engine {
  service: HttpService<EngineCallers>
  /** Why containers cannot be run as usual; undefined when they can. */
  problem(): string | undefined
  /** Takes on what can change while it runs, and tells of it. */
  reload(config: LiveConfig): void
  /** Containers go on. */
  close(): Promise<void>
}

/** Builds the native programs, finds the machine's runtimes, and finds containers again that still run. */
export async function createEngine(kernel: Kernel, config: LiveConfig): Promise<Engine> {
  const live = { ...config }
  const parts = await openParts(kernel, live.engine)
  const { runtime, volumes, networks, networking, containers, images, files, imageService, events } = parts
  const registry = openRegistry(kernel, live, parts)
  const plugins = createPlugins({ ...parts, kernel, registry })
  const pluginNames = (capability: string) => plugins.of(capability).map(({ record }) => record.name)
  const loggers = logPlugins(plugins)
  const forwarding = forwardLogs(kernel, parts, loggers)
  const streaming = connect(kernel, parts, forwarding, loggers)
  const { buildCache, work } = createBuilding(kernel, parts, registry, streaming)
  const { swarm, routes: ofSwarm } = createSwarm({
    ...{ ...parts, kernel, registry, logs: streaming.logs },
    ...{ facts: () => nodeFacts(live, parts, pluginNames), outside: live.engine.swarmStore },
    csi: csiPlugins(plugins, events),
  })
  const system = await createSystem({ ...parts, kernel, live, buildCache, swarm, plugins: pluginNames })
  const kit = openBuildKit({
    ...{ work, cache: buildCache, engineId: system.id, contextFolder: parts.contextFolder },
    save: (name) => imageService.save([name]),
  })
  await volumes.load()
  await networks.load()
  await plugins.load()
  await containers.restore()
  forwarding.resume(containers.all())
  await swarm.resume()
  const find = (asked: string) => containers.get(asked)
  const inFiles = { find, files, images, ended: containers.ended.bind(containers) }
  const routes = [
    ...systemRoutes(system),
    ...containerRoutes(containers),
    ...archiveRoutes(inFiles),
    ...changesRoutes({ find, files, images }),
    ...exportRoutes({ ...inFiles, events }),
    ...streaming.routes,
    ...imageRoutes(imageService, registry),
    ...commitRoutes({ find, images, events, whileStill: (id, work) => containers.whileStill(id, work) }),
    ...distributionRoutes(new Distribution(registry)),
    ...authRoutes(new Auth(registry)),
    ...networkRoutes(networks),
    ...volumeRoutes(volumes),
    ...[
      ...buildRoutes(new Builds(work), kit.builds, buildCache),
      ...sessionRoutes(kit.sessions),
      ...grpcRoutes(kit.methods),
    ],
    ...pluginRoutes(plugins),
    ...ofSwarm,
  ]
  const close = async (): Promise<void> => {
    await swarm.close()
    containers.close()
    forwarding.close()
    plugins.close()
    system.close()
    registry.close()
    await networking.close()
    runtime.release()
  }
  const reload = (next: LiveConfig): void => {
    Object.assign(live, withReloadable(live, next))
    system.reload(systemSettings(live, parts.folder, pluginNames), describeReload(live))
  }
  const problem = () => networking.problem()
  return { service: serviceOf(routes, streaming.sockets), problem, reload, close }
}

const serviceOf = (
  routes: HttpService<EngineCallers>['routes'],
  sockets: NonNullable<HttpService<EngineCallers>['sockets']>,
): HttpService<EngineCallers> => ({
  name: 'engine',
  title: 'Atoll engine',
  version: engineVersion,
  errors: kernelErrors,
  routes,
  sockets,
  authenticate: async () => null,
  versions: engineVersions(),
  isLenient: true,
  readJson,
  trustsAnyone: true,
  responseHeaders: () => engineHeaders,
  maxJsonBytes,
})

type Parts = Awaited<ReturnType<typeof openParts>>

const openRegistry = ({ clock }: Kernel, live: LiveConfig, { blobs, images, events }: Parts): RegistryClient =>
  new RegistryClient({
    ...{ blobs, clock, events, hostPlatform: images.hostPlatform },
    get settings() {
      return live.engine.registry
    },
  })

async function openParts(kernel: Kernel, config: EngineConfig) {
  const { db, clock, ids, log } = kernel
  const folder = join(kernel.folder, 'engine')
  for (const each of ['containers', 'run']) await mkdir(join(folder, each), { recursive: true, mode: 0o711 })
  const programFolder = await makeProgramFolder(folder)
  const events = new EngineEvents(() => clock.now())
  const [runtime, host, program] = await Promise.all([
    openOciRuntime({ folder, programFolder, runtimes: config.runtimes }),
    readHostFacts(),
    buildNative('files', ['archive', 'crypto'], programFolder),
  ])
  const imageSide = await openImages({ kernel, events, folder, program })
  const { images, files, blobs, builds, buildCache: buildRecords, service: imageService } = imageSide
  const { cacheFolder, contextFolder } = imageSide
  const specs = new OciSpecs({ host, rootfs: (id, imageId) => images.rootfs(id, imageId) })
  const volumes = new Volumes({ db, clock, ids, events, folder })
  const mounts = new ContainerMounts({ volumes, events, folder, log })
  const { networking, networks } = createNetworks({
    kernel,
    events,
    folder,
    users: () => containers,
    bridge: config.bridge,
  })
  const defaults = defaultsOf(config, host, runtime.runtimeNames)
  const containers: Containers = new Containers({
    ...{ db, clock, ids, log, folder, runtime, images, networking, mounts, specs, events, defaults },
  })
  return {
    ...{ folder, programFolder, events, runtime, host, images, files, blobs, imageService, specs },
    ...{ filesProgram: program, defaultRuntime: defaults.runtime },
    ...{ builds, buildRecords, cacheFolder, contextFolder },
    ...{ volumes, mounts, networking, networks, containers },
  }
}

/** Built programs are shared by all engines of this machine, where it has a place for that. */
async function makeProgramFolder(folder: string): Promise<string> {
  const shared = join('/var/cache', 'atoll', 'programs')
  const make = (path: string) => mkdir(path, { recursive: true, mode: 0o755 }).then(() => path)
  return make(shared).catch(() => make(join(folder, 'programs')))
}

function defaultsOf(config: EngineConfig, { cgroupVersion }: HostFacts, runtimes: string[]): EngineDefaults {
  const [first = config.runtime] = runtimes
  return {
    ipcMode: config.ipcMode,
    cgroupnsMode: cgroupVersion === 2 ? 'private' : 'host',
    runtime: runtimes.includes(config.runtime) ? config.runtime : first,
    runtimes,
    hostname: hostname(),
  }
}

const nodeFacts = (live: LiveConfig, { host, folder }: Parts, plugins: PluginNames): NodeFacts => {
  const { labels, drivers, genericResources } = systemSettings(live, folder, plugins)
  return { host, engineVersion, labels, drivers, genericResources }
}

const forwardLogs = (
  { log }: Kernel,
  { containers, events, programFolder }: Parts,
  loggers: LogPlugins,
): LogForwarding =>
  new LogForwarding({
    ...{ events, log },
    tools: { journal: () => buildNative('journal', [], programFolder) },
    find: (id) => containers.get(id),
    folderOf: (id) => containers.folderOf(id),
    plugin: (name) => loggers.driver(name),
  })

/** What builds are made with, and what they keep. */
function createBuilding(
  { clock }: Kernel,
  { folder, builds, buildRecords, cacheFolder, containers, events, imageService }: Parts,
  registry: RegistryClient,
  { attachments }: ReturnType<typeof connect>,
) {
  const now = () => clock.now()
  const buildCache = new BuildCache(buildRecords, events, now)
  const work = new BuildWork({
    ...{ store: builds, registry, cacheFolder, now },
    secretFolder: join(folder, 'build-secrets'),
    runner: new ContainerSteps(containers, attachments),
    created: (imageId) => imageService.created(imageId),
    tagged: (imageId, name) => imageService.tagged(imageId, name),
    trim: () => buildCache.trim(),
  })
  return { buildCache, work }
}

/** Parts that need one another in both directions. */
function connect(
  { clock, ids }: Kernel,
  { containers, volumes, mounts, specs, runtime, networking, events }: Parts,
  forwarding: LogForwarding,
  loggers: LogPlugins,
) {
  const streaming = createStreaming({
    ...{ runtime, networking, events },
    find: (asked) => containers.get(asked),
    logPath: (record) => containers.logPathOf(record),
    keeper: (record) => loggers.keeper(record),
    now: () => clock.now(),
    execProcess: (record, exec) => specs.exec(record, containers.withLinks(record, exec)),
    emit: (record, action, attributes) => containers.emit(record, action, attributes),
    newId: () => ids.hex() + ids.hex(),
    restarting: (id) => containers.restarting(id),
  })
  containers.hooks = {
    beforeStart: async (id, detachKeys) => {
      await forwarding.beforeStart(id)
      await streaming.attachments.connectWaiting(id, detachKeys)
    },
    startFailed(id) {
      forwarding.startFailed(id)
      streaming.attachments.release(id)
    },
    beforeRemoval: (id) => forwarding.beforeRemoval(id),
    isLogPlugin: (name) => loggers.isLogPlugin(name),
    execIds: (id) => streaming.execs.idsOf(id),
  }
  volumes.usedBy((name) =>
    containers
      .all()
      .filter(({ mounts: mounted }) => mounted.some(({ Type, Name }) => Type === 'volume' && Name === name))
      .map(({ id }) => id),
  )
  mounts.containersAre((asked) => containers.find(asked) && containers.get(asked).mounts)
  return streaming
}

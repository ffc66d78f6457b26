// The system routes behind a real listener, over ports that a test may replace.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@atoll/kernel/clock/clock'
import { EngineEvents } from '../../../events/engine-events.ts'
import { readHostFacts } from '../../../runtime/oci/host.ts'
import { serveRoutes } from '../../../testing/serve-routes.ts'
import { engineHeaders } from '../headers.ts'
import type { SystemPorts, SystemSettings } from '../ports.ts'
import { systemRoutes } from '../routes.ts'
import { System } from '../service.ts'

export interface TestSystem {
  url: string
  events: EngineEvents
  system: System
  /** What it was started with. */
  settings: SystemSettings
  stop(): Promise<void>
}

export interface Replaced extends Partial<Omit<SystemPorts, 'settings' | 'events'>> {
  settings?: Partial<SystemSettings>
}

export async function startSystem(replaced: Replaced = {}): Promise<TestSystem> {
  const folder = await mkdtemp(join(tmpdir(), 'engine-system-'))
  const events = new EngineEvents(() => systemClock.now())
  const ports = await portsFor(folder, events, replaced)
  const system = new System(ports)
  const served = { routes: systemRoutes(system), responseHeaders: () => engineHeaders }
  const listener = await serveRoutes(served, { blobFolder: join(folder, 'blobs') })
  return {
    url: listener.url,
    events,
    system,
    settings: ports.settings,
    async stop() {
      system.close()
      await listener.close(0)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function portsFor(folder: string, events: EngineEvents, replaced: Replaced): Promise<SystemPorts> {
  const settings: SystemSettings = {
    folder,
    defaultRuntime: 'crun',
    drivers: { volume: ['local'], network: ['bridge', 'host', 'null'], log: ['json-file', 'none'] },
    addressPools: [{ Base: '172.17.0.0/12', Size: 16 }],
    registry: { mirrors: [], insecure: ['127.0.0.1:5000'] },
    labels: [],
    genericResources: [],
    isDebugging: false,
    isRootless: false,
    hasUserNamespaces: false,
    noNewPrivileges: false,
    builder: '1',
    warnings: [],
    ...replaced.settings,
  }
  return {
    id: 'an-engine',
    clock: systemClock,
    events,
    runtime: { versions: async () => ({ runtimes: { crun: { path: '/usr/bin/crun', version: '1.8.1' } } }) },
    host: await readHostFacts(),
    containerCounts: () => ({ containers: 6, running: 1, paused: 2, stopped: 3 }),
    imageCount: () => 4,
    swarmState: () => 'inactive',
    usage: {
      containers: async () => [{ Id: 'c1', SizeRw: 10, SizeRootFs: 100 }],
      logBytes: async () => 7,
      images: async () => ({ images: [{ Id: 'i1', Size: 90 }], layerBytes: 90 }),
      volumes: async () => [{ Name: 'data', UsageData: { Size: 5, RefCount: 1 } }],
      buildCache: async () => [],
    },
    ...replaced,
    settings,
  }
}

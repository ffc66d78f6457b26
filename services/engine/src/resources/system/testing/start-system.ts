// The system routes behind a real listener, over ports that a test may replace.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalDisk } from '@atoll/kernel/blobs/local-disk'
import { systemClock } from '@atoll/kernel/clock/clock'
import { listen } from '@atoll/kernel/http/listen'
import { createIds } from '@atoll/kernel/ids/ids'
import { silentLog } from '@atoll/testkit/silent-log'
import { kernelErrors } from '../../../errors.ts'
import { EngineEvents } from '../../../events/engine-events.ts'
import { readHostFacts } from '../../../runtime/oci/host.ts'
import { engineVersions } from '../../../versions/versions.ts'
import { engineHeaders } from '../headers.ts'
import type { SystemPorts, SystemSettings } from '../ports.ts'
import { systemRoutes } from '../routes.ts'
import { System } from '../service.ts'

export interface TestSystem {
  url: string
  events: EngineEvents
  system: System
  stop(): Promise<void>
}

export interface Replaced extends Partial<Omit<SystemPorts, 'settings' | 'events'>> {
  settings?: Partial<SystemSettings>
}

export async function startSystem(replaced: Replaced = {}): Promise<TestSystem> {
  const folder = await mkdtemp(join(tmpdir(), 'engine-system-'))
  const events = new EngineEvents(() => systemClock.now())
  const system = new System(await portsFor(folder, events, replaced))
  const ids = createIds(systemClock)
  const listener = await listen(
    {
      name: 'engine',
      title: 'System',
      version: '1.47',
      errors: kernelErrors,
      routes: systemRoutes(system),
      authenticate: async () => null,
      versions: engineVersions(),
      isLenient: true,
      responseHeaders: () => engineHeaders,
      maxJsonBytes: 1_000_000,
    },
    {
      address: { host: '127.0.0.1', port: 0 },
      blobs: await createLocalDisk(join(folder, 'blobs'), systemClock, ids),
      ids,
      clock: systemClock,
      log: silentLog,
      checkResponses: true,
      health: { ready: async () => undefined },
    },
  )
  return {
    url: listener.url,
    events,
    system,
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

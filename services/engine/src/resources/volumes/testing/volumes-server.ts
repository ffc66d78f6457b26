// Volumes over real HTTP and a real database.
import { join } from 'node:path'
import { createLocalDisk } from '@atoll/kernel/blobs/local-disk'
import { systemClock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import { listen } from '@atoll/kernel/http/listen'
import { createIds } from '@atoll/kernel/ids/ids'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterEach } from 'vitest'
import { kernelErrors } from '../../../errors.ts'
import { EngineEvents } from '../../../events/engine-events.ts'
import { engineVersions } from '../../../versions/versions.ts'
import { volumeRoutes } from '../routes.ts'
import { Volumes } from '../service.ts'

const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever comes
  body: any
}

export interface VolumesServer {
  folder: string
  volumes: Volumes
  events: EngineEvents
  /** Containers by volume. */
  users: Map<string, string[]>
  call(method: string, path: string, body?: unknown): Promise<Answer>
}

export async function newVolumes(db: Database, folder: string) {
  const events = new EngineEvents(() => systemClock.now())
  const ids = createIds(systemClock)
  const volumes = new Volumes({ db, clock: systemClock, ids, events, folder })
  const users = new Map<string, string[]>()
  volumes.usedBy((name) => users.get(name) ?? [])
  await volumes.load()
  return { volumes, events, users }
}

export async function startVolumes(db: Database, folder?: string): Promise<VolumesServer> {
  const place = folder ?? (await tempDir())
  const { volumes, events, users } = await newVolumes(db, place)
  const service = {
    name: 'engine',
    title: 'Volumes',
    version: '1.47',
    errors: kernelErrors,
    routes: volumeRoutes(volumes),
    authenticate: async () => null,
    versions: engineVersions(),
    isLenient: true,
    maxJsonBytes: 1_000_000,
  }
  const listener = await listen(service, {
    address: { host: '127.0.0.1', port: 0 },
    blobs: await createLocalDisk(join(place, 'blobs'), systemClock, createIds(systemClock)),
    ids: createIds(systemClock),
    clock: systemClock,
    log: silentLog,
    checkResponses: true,
    health: { ready: async () => undefined },
  })
  closers.push(() => listener.close(1_000))
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(listener.url + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return { status: response.status, body: isJson && text !== '' ? JSON.parse(text) : text }
  }
  return { folder: place, volumes, events, users, call }
}

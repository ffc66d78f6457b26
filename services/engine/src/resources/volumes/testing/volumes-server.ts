// Volumes over real HTTP and a real database.
import { join } from 'node:path'
import { systemClock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import { createIds } from '@atoll/kernel/ids/ids'
import { afterTest } from '@atoll/testkit/after-tests'
import { tempDir } from '@atoll/testkit/temp-dir'
import { EngineEvents } from '../../../events/engine-events.ts'
import { type Answer, askJson } from '../../../testing/ask-json.ts'
import { serveRoutes } from '../../../testing/serve-routes.ts'
import { volumeRoutes } from '../routes.ts'
import { Volumes } from '../service.ts'

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
  const listener = await serveRoutes({ routes: volumeRoutes(volumes) }, { blobFolder: join(place, 'blobs') })
  afterTest(() => listener.close(1_000))
  const call = (method: string, path: string, body?: unknown) => askJson(method, listener.url + path, body)
  return { folder: place, volumes, events, users, call }
}

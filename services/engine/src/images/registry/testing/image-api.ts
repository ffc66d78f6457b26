// The image side as an engine has it (database, layers, the files program) with registries behind it, over HTTP.
import { join } from 'node:path'
import { systemClock } from '@atoll/kernel/clock/clock'
import { migrate } from '@atoll/kernel/db/migrate'
import { openDatabase } from '@atoll/kernel/db/open'
import { bytes } from '@atoll/kernel/http/reply'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { defineRoute } from '../../../callers.ts'
import { EngineEvents } from '../../../events/engine-events.ts'
import { openImages } from '../../../resources/images/create-images.ts'
import { imageMigrations } from '../../../resources/images/migration.ts'
import { imageRoutes } from '../../../resources/images/routes.ts'
import { filesProgram } from '../../../testing/native-programs.ts'
import { RegistryClient } from '../registry-client.ts'
import { RegistrySettings } from '../settings.ts'
import { startApi } from './registry-api.ts'
import { quick } from './registry-engine.ts'

/** What clients ask before anything else. */
const ping = defineRoute({
  method: 'GET',
  path: '/_ping',
  auth: 'anyone',
  summary: 'Ping',
  response: 'bytes',
  handler: () => bytes('OK', { 'api-version': '1.47', 'content-type': 'text/plain' }),
})

export interface ImageApi {
  url: string
  stop(): Promise<void>
}

export async function startImageApi(settings: Partial<RegistrySettings> = {}): Promise<ImageApi> {
  const folder = await tempDir()
  const db = await openDatabase({ kind: 'sqlite', folder }, { log: silentLog })
  await migrate(db, imageMigrations)
  const program = await filesProgram()
  const kernel = { db, clock: systemClock, log: silentLog }
  const events = new EngineEvents(() => systemClock.now())
  const { blobs, service, images } = await openImages({ kernel, events, folder: join(folder, 'engine'), program })
  const client = new RegistryClient({
    blobs,
    hostPlatform: images.hostPlatform,
    settings: RegistrySettings.parse(settings),
    clock: systemClock,
    patience: { ...quick, idleMs: 10_000, smallAnswerMs: 20_000 },
  })
  const api = await startApi(client, [ping, ...imageRoutes(service, client)])
  return {
    url: api.url,
    async stop() {
      await api.close(0)
      client.close()
      await db.close()
    },
  }
}

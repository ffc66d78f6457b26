// A platform in a process of its own, as a server is: what stops it does not stop whoever measures.
import { systemClock } from '@atoll/kernel/clock/clock'
import { createKernel } from '@atoll/kernel/create-kernel'
import { listen } from '@atoll/kernel/http/listen'
import { createLog } from '@atoll/kernel/telemetry/pino-log'
import { PlatformConfig } from '../config.ts'
import { ensureFirstIdentity } from '../identity/first-start.ts'
import { platformMigrations } from '../migrations/migrations.ts'
import { createPlatform } from '../platform.ts'

export interface Ready {
  url: string
  apiKey: string
  adminKey: string
  routes: ServedRoute[]
}

export interface ServedRoute {
  method: string
  path: string
  auth: string
  body: 'none' | 'json' | 'large' | 'form'
}

const [, , data = ''] = process.argv
const log = createLog({ level: 'info', destination: { write: () => {} } })
const config = { data, database: { poolSize: 4 }, blobs: {} }
const kernel = await createKernel({ config, log, migrations: platformMigrations, clock: systemClock })
const { apiKey = '', adminKey = '' } = await ensureFirstIdentity(kernel)
const { service } = createPlatform(kernel, PlatformConfig.parse({}))
await kernel.start()
const { blobs, ids, clock } = kernel
const address = { host: '127.0.0.1', port: 0 }
const health = { ready: async () => undefined }
const { url } = await listen(service, { address, blobs, ids, clock, log, health })
const routes = service.routes.map(({ method, path, auth, body, takesLargeJson }): ServedRoute => {
  const isForm = typeof body === 'object' && 'kind' in body
  const json = takesLargeJson ? 'large' : 'json'
  return { method, path, auth, body: body === undefined ? 'none' : isForm ? 'form' : json }
})
process.send?.({ url, apiKey, adminKey, routes } satisfies Ready)
process.on('disconnect', () => process.exit())

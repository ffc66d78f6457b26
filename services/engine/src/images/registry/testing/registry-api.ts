// The routes that speak to registries, served over HTTP with all their versions.
import { createLocalDisk } from '@atoll/kernel/blobs/local-disk'
import { systemClock } from '@atoll/kernel/clock/clock'
import { type Listener, listen } from '@atoll/kernel/http/listen'
import type { Route } from '@atoll/kernel/http/route'
import type { HttpService } from '@atoll/kernel/http/service'
import { createIds } from '@atoll/kernel/ids/ids'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import type { EngineCallers } from '../../../callers.ts'
import { kernelErrors } from '../../../errors.ts'
import { authRoutes } from '../../../resources/auth/routes.ts'
import { Auth } from '../../../resources/auth/service.ts'
import { distributionRoutes } from '../../../resources/distribution/routes.ts'
import { Distribution } from '../../../resources/distribution/service.ts'
import { engineVersions } from '../../../versions/versions.ts'
import type { RegistryClient } from '../registry-client.ts'

export async function startApi(client: RegistryClient, more: readonly Route<EngineCallers>[] = []): Promise<Listener> {
  const service: HttpService<EngineCallers> = {
    name: 'engine',
    title: 'Engine',
    version: '1',
    errors: kernelErrors,
    routes: [...authRoutes(new Auth(client)), ...distributionRoutes(new Distribution(client)), ...more],
    authenticate: async () => null,
    versions: engineVersions(),
    isLenient: true,
    maxJsonBytes: 1024 ** 2,
  }
  const ids = createIds(systemClock)
  return listen(service, {
    address: { host: '127.0.0.1', port: 0 },
    blobs: await createLocalDisk(await tempDir(), systemClock, ids),
    ids,
    clock: systemClock,
    log: silentLog,
    checkResponses: true,
    health: { ready: async () => undefined },
  })
}

/** As clients write X-Registry-Auth. */
export const inHeader = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

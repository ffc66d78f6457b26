// The routes that speak to registries, served over HTTP with all their versions.
import type { Listener } from '@atoll/kernel/http/listen'
import type { Route } from '@atoll/kernel/http/route'
import { tempDir } from '@atoll/testkit/temp-dir'
import type { EngineCallers } from '../../../callers.ts'
import { authRoutes } from '../../../resources/auth/routes.ts'
import { Auth } from '../../../resources/auth/service.ts'
import { distributionRoutes } from '../../../resources/distribution/routes.ts'
import { Distribution } from '../../../resources/distribution/service.ts'
import { serveRoutes } from '../../../testing/serve-routes.ts'
import type { RegistryClient } from '../registry-client.ts'

export async function startApi(client: RegistryClient, more: readonly Route<EngineCallers>[] = []): Promise<Listener> {
  const routes = [...authRoutes(new Auth(client)), ...distributionRoutes(new Distribution(client)), ...more]
  return serveRoutes({ routes }, { blobFolder: await tempDir() })
}

/** As clients write X-Registry-Auth. */
export const inHeader = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

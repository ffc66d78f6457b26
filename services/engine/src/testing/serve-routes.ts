// Some of the engine's routes behind a real listener, with all versions, as the engine serves them.
import { createLocalDisk } from '@atoll/kernel/blobs/local-disk'
import { systemClock } from '@atoll/kernel/clock/clock'
import { type Listener, listen } from '@atoll/kernel/http/listen'
import type { ListenAddress } from '@atoll/kernel/http/options'
import type { HttpService } from '@atoll/kernel/http/service'
import { createIds } from '@atoll/kernel/ids/ids'
import type { Log } from '@atoll/kernel/telemetry/log'
import { silentLog } from '@atoll/testkit/silent-log'
import type { EngineCallers } from '../callers.ts'
import { kernelErrors } from '../errors.ts'
import { readJson } from '../json/read-json.ts'
import { engineVersions } from '../versions/versions.ts'

type Served = Pick<HttpService<EngineCallers>, 'routes' | 'sockets' | 'responseHeaders'>

interface ServeOptions {
  /** A port of the loopback unless told. */
  address?: ListenAddress
  blobFolder: string
  log?: Log
}

const maxJsonBytes = 4 * 1024 * 1024

export async function serveRoutes(served: Served, options: ServeOptions): Promise<Listener> {
  const { address = { host: '127.0.0.1', port: 0 }, blobFolder, log = silentLog } = options
  const ids = createIds(systemClock)
  const service: HttpService<EngineCallers> = {
    name: 'engine',
    title: 'Engine',
    version: '1.47',
    errors: kernelErrors,
    authenticate: async () => null,
    versions: engineVersions(),
    isLenient: true,
    readJson,
    trustsAnyone: true,
    maxJsonBytes,
    ...served,
  }
  return listen(service, {
    address,
    blobs: await createLocalDisk(blobFolder, systemClock, ids),
    ids,
    clock: systemClock,
    log,
    checkResponses: true,
    health: { ready: async () => undefined },
  })
}

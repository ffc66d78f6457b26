// Runs on an isolated host: the whole engine on a socket.
import { createKernel } from '@atoll/kernel/create-kernel'
import { listen } from '@atoll/kernel/http/listen'
import { createLog } from '@atoll/kernel/telemetry/pino-log'
import { EngineConfig } from '../config.ts'
import { createEngine } from '../engine.ts'
import { engineMigrations } from '../migrations.ts'

/** How far this machine's clock is off. */
let skewMs = 0
let close = async (): Promise<void> => {}
let take: (settings: object) => void = () => {}

/** `settings`: of the engine's configuration; `env`: of its process, before it looks at it. */
export async function start(folder: string, settings: object = {}, env: Record<string, string> = {}): Promise<void> {
  Object.assign(process.env, env)
  const log = createLog({ level: 'error', destination: process.stderr })
  const config = { data: folder, database: { poolSize: 2 }, blobs: {} }
  const skewed = { now: () => Date.now() + skewMs }
  const kernel = await createKernel({ config, log, migrations: engineMigrations, clock: skewed })
  const { blobs, ids, clock } = kernel
  const liveWith = (given: object) => ({ engine: EngineConfig.parse(given), isDebugging: false, shutdownSeconds: 5 })
  const engine = await createEngine(kernel, liveWith(settings))
  take = (given) => engine.reload(liveWith(given))
  const listener = await listen(engine.service, {
    ...{ blobs, ids, clock, log },
    address: { socketPath: `${folder}/engine.sock` },
    checkResponses: true,
    health: { ready: async () => undefined },
  })
  close = async () => {
    await listener.close(100)
    await engine.close()
    await kernel.close()
  }
}

/** A configuration that is read again while it runs. */
export const reload = (settings: object): void => take(settings)

export const stop = (): Promise<void> => close()

export const skew = (ms: number): void => {
  skewMs = ms
}

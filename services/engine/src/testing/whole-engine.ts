// Runs on an isolated host: the whole engine on a socket.
import { createKernel } from '@atoll/kernel/create-kernel'
import { listen } from '@atoll/kernel/http/listen'
import { createLog } from '@atoll/kernel/telemetry/pino-log'
import { EngineConfig } from '../config.ts'
import { createEngine } from '../engine.ts'
import { engineMigrations } from '../migrations.ts'

let close = async (): Promise<void> => {}

export async function start(folder: string): Promise<void> {
  const log = createLog({ level: 'error', destination: process.stderr })
  const config = { data: folder, database: { poolSize: 2 }, blobs: {} }
  const kernel = await createKernel({ config, log, migrations: engineMigrations })
  const { blobs, ids, clock } = kernel
  const live = { engine: EngineConfig.parse({}), isDebugging: false, shutdownSeconds: 5 }
  const engine = await createEngine(kernel, live)
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

export const stop = (): Promise<void> => close()

// Debian's docker-registry on the loopback of an engine's machine.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { EngineServer } from './engine-server.ts'

const address = '127.0.0.1:5000'

export async function startRegistry({
  host,
  folder,
}: EngineServer): Promise<{ address: string; stop(): Promise<void> }> {
  const storage = join(folder, 'registry')
  mkdirSync(storage, { recursive: true })
  const settings = join(folder, 'registry.yml')
  writeFileSync(
    settings,
    JSON.stringify({
      version: '0.1',
      log: { level: 'warn' },
      storage: { filesystem: { rootdirectory: storage } },
      http: { addr: address },
    }),
  )
  const running = await host.spawn('docker-registry', ['serve', settings])
  let hasEnded = false
  void running.ended.then(() => (hasEnded = true))
  while ((await host.run('busybox', ['wget', '-qO', '/dev/null', `http://${address}/v2/`])).code !== 0) {
    if (hasEnded) throw new Error('docker-registry ended')
    await setTimeout(50)
  }
  return {
    address,
    async stop() {
      running.kill()
      await running.ended
    },
  }
}

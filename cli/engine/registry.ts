// Debian's docker-registry on the loopback of an engine's machine.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { EngineServer } from './engine-server.ts'

const address = '127.0.0.1:5000'

/** Who a registry for members lets in, and bcrypt's hash of that password. */
export const member = { username: 'ada', password: 'sesame' }
const hash = '$2b$04$CplKrOxDjw/.udQ2uFoerOeJlh/b7WTyg6lALVyluPLpUn21m5tiy'

export async function startRegistry(
  { host, folder }: EngineServer,
  { forMembers = false } = {},
): Promise<{ address: string; stop(): Promise<void> }> {
  const storage = join(folder, 'registry')
  mkdirSync(storage, { recursive: true })
  const settings = join(folder, 'registry.yml')
  const members = join(folder, 'registry-members')
  writeFileSync(members, `${member.username}:${hash}\n`)
  writeFileSync(
    settings,
    JSON.stringify({
      version: '0.1',
      log: { level: 'warn' },
      storage: { filesystem: { rootdirectory: storage } },
      http: { addr: address },
      ...(forMembers && { auth: { htpasswd: { realm: 'members', path: members } } }),
    }),
  )
  const running = await host.spawn('docker-registry', ['serve', settings])
  let hasEnded = false
  void running.ended.then(() => (hasEnded = true))
  const asked = forMembers ? `${member.username}:${member.password}@${address}` : address
  while ((await host.run('busybox', ['wget', '-qO', '/dev/null', `http://${asked}/v2/`])).code !== 0) {
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

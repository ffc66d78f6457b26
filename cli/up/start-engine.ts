// Starts the container engine on its socket.
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { createEngine } from '@atoll/engine/engine'
import { listen } from '@atoll/kernel/http/listen'
import type { ListenAddress } from '@atoll/kernel/http/options'
import type { AtollConfig } from '../config.ts'
import { requireEnginePrograms } from '../programs/engine.ts'
import { listenOptions, type Parts } from './parts.ts'

/** Whoever may write to the socket may do everything on the host that root may. */
const socketMode = 0o660

export async function startEngine(parts: Parts): Promise<{ name: string; url: string }[]> {
  const { kernel, config, closing, reloading } = parts
  requireEnginePrograms()
  const engine = await createEngine(kernel, liveConfig(config))
  let graceMs = config.shutdown.graceSeconds * 1000
  reloading.push((next) => {
    graceMs = next.shutdown.graceSeconds * 1000
    engine.reload(liveConfig(next))
  })
  closing.push(() => engine.close())
  const socketPath = config.engine.socket ?? join(config.data, 'engine.sock')
  const addresses: ListenAddress[] = [{ socketPath }]
  if (config.engine.tcp !== undefined) addresses.push(hostAndPort(config.engine.tcp))
  const services = []
  const options = listenOptions(parts, 'engine', async () => engine.problem())
  for (const address of addresses) {
    const listener = await listen(engine.service, { address, ...options })
    closing.push(() => listener.close(graceMs))
    services.push({ name: 'engine', url: listener.url })
  }
  await chmod(socketPath, socketMode)
  return services
}

const liveConfig = ({ engine, log, shutdown }: AtollConfig) => ({
  engine,
  isDebugging: log.level === 'debug',
  shutdownSeconds: shutdown.graceSeconds,
})

function hostAndPort(text: string): ListenAddress {
  const at = text.lastIndexOf(':')
  return { host: text.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(text.slice(at + 1)) }
}

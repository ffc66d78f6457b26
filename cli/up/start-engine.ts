// Starts the container engine on its socket.
import { chmod, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { EngineConfig } from '@atoll/engine/config'
import { createEngine } from '@atoll/engine/engine'
import { guardTcp, tcpWarnings } from '@atoll/engine/tcp-access'
import { ConfigError } from '@atoll/kernel/config/config-error'
import { listen } from '@atoll/kernel/http/listen'
import type { ListenAddress, ListenOptions } from '@atoll/kernel/http/options'
import type { AtollConfig } from '../config.ts'
import { requireEnginePrograms } from '../programs/engine.ts'
import { listenOptions, type Parts } from './parts.ts'

/** Whoever may write to the socket may do everything on the host that root may. */
const socketMode = 0o660

export async function startEngine(parts: Parts): Promise<{ name: string; url: string }[]> {
  const { kernel, config, closing, reloading } = parts
  requireEnginePrograms()
  const tls = await engineTls(config.engine)
  const engine = await createEngine(kernel, liveConfig(config))
  let graceMs = config.shutdown.graceSeconds * 1000
  reloading.push((next) => {
    graceMs = next.shutdown.graceSeconds * 1000
    engine.reload(liveConfig(next))
  })
  closing.push(() => engine.close())
  const socketPath = config.engine.socket ?? join(config.data, 'engine.sock')
  const options = listenOptions(parts, 'engine', async () => engine.problem())
  const serve = async (service: typeof engine.service, where: Pick<ListenOptions, 'address' | 'tls'>) => {
    const listener = await listen(service, { ...options, ...where })
    closing.push(() => listener.close(graceMs))
    return { name: 'engine', url: listener.url }
  }
  const services = [await serve(engine.service, { address: { socketPath } })]
  await chmod(socketPath, socketMode)
  parts.neighbours.set('engine', () => connect({ path: socketPath }))
  const { tcp } = config.engine
  if (tcp === undefined) return services
  const overTcp = await serve(guardTcp(engine.service, config.engine), { address: hostAndPort(tcp), ...tls })
  return [...services, overTcp]
}

/** What the operator should know about who can reach it. */
export const engineNotes = ({ engine }: AtollConfig): string[] =>
  engine.tls !== undefined && engine.tcp === undefined
    ? ['engine.tls is set, but engine.tcp is not: it has no effect.']
    : tcpWarnings(engine)

async function engineTls({ tls }: EngineConfig): Promise<Pick<ListenOptions, 'tls'>> {
  if (tls === undefined) return {}
  const read = (name: string, path: string) =>
    readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new ConfigError([`engine.tls.${name}: ${path} cannot be read (${error.code})`])
    })
  const [cert, key] = [await read('cert', tls.cert), await read('key', tls.key)]
  return { tls: { cert, key, ...(tls.ca === undefined ? {} : { ca: await read('ca', tls.ca) }) } }
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

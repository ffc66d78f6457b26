// The port of each service, and whether it can be had.
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AtollConfig } from '../config.ts'

/** Where none is set: so many behind the platform's. */
const portsBehind = { platform: 0, hooks: 1, cluster: 2 }

type Listening = keyof typeof portsBehind
type Ported = Pick<AtollConfig, 'host' | 'port' | 'services' | 'hooks' | 'cluster'>

export function portOf(config: Ported, name: Listening): number {
  const own = name === 'platform' ? config.port : config[name].port
  return own ?? (config.port === 0 ? 0 : config.port + portsBehind[name])
}

/** Before the first key is made: one that a failed start has made is never seen. */
export async function refuseTakenPorts(config: Ported): Promise<void> {
  for (const name of Object.keys(portsBehind) as Listening[]) {
    const port = portOf(config, name)
    if (port === 0 || !config.services.includes(name)) continue
    const server = createServer().listen({ host: config.host, port })
    await once(server, 'listening')
    server.close()
    await once(server, 'close')
  }
}

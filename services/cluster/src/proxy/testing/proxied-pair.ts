// What tests of the endpoint need: it, a master and its replica behind it, and clients before it.
import { createClient } from '@redis/client'
import { RedisConnection } from '../../redis/redis-connection.ts'
import { Endpoint } from '../endpoint.ts'
import { RawClient } from './raw-client.ts'
import { startRedisPair, type TestServer } from './redis-pair.ts'

export type ProxiedPair = Awaited<ReturnType<typeof startProxiedPair>>

interface RedisWish {
  RESP?: 2 | 3
  password?: string
}

export async function startProxiedPair() {
  const pair = await startRedisPair()
  const endpoint = new Endpoint({ target: pair.master.address, maxClients: 1000 })
  const port = await endpoint.listen('127.0.0.1', 0)
  const clients: { close(): unknown }[] = []
  return {
    master: pair.master,
    replica: pair.replica,
    endpoint,
    raw(): RawClient {
      const client = new RawClient(port)
      clients.push(client)
      return client
    },
    async redis({ RESP = 2, password }: RedisWish = {}) {
      const socket = { host: '127.0.0.1', port, connectTimeout: 20_000 }
      const credentials = password === undefined ? {} : { password }
      const client = createClient({ ...credentials, RESP, socket, disableOfflineQueue: true })
      client.on('error', () => undefined) // commands tell
      clients.push({ close: () => client.destroy() })
      await client.connect()
      return client
    },
    async stop(): Promise<void> {
      for (const client of clients.splice(0)) client.close()
      await endpoint.close()
      await pair.stop()
    },
  }
}

/** Past the endpoint. */
export async function ask({ address }: TestServer, ...command: string[]) {
  await using connection = await RedisConnection.open(address)
  return await connection.call(...command)
}

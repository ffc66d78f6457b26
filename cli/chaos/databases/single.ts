// One PostgreSQL without a standby: killed, it is started again.
import { ownPostgres } from '@atoll/testkit/postgres'
import type { GroupDatabase } from './database.ts'

export async function startSingleDatabase(): Promise<GroupDatabase> {
  const server = await ownPostgres()
  const { port } = new URL(server.url)
  return {
    what: 'one PostgreSQL',
    servers: [{ port: Number(port) }],
    url(host, at) {
      const url = new URL(server.url)
      url.host = `${host}:${at}`
      return url.href
    },
    killPrimary: () => server.restart(),
    freeze: (work) => server.frozen(work),
    stop: () => server.stop(),
  }
}

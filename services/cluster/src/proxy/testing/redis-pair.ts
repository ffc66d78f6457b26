// A master and its replica for tests of the endpoint: plain servers in a folder of their own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '@atoll/testkit/free-port'
import { RedisConnection } from '../../redis/redis-connection.ts'

export interface TestServer {
  address: { path: string }
  port: number
  process: ChildProcess
}

export interface RedisPair {
  master: TestServer
  replica: TestServer
  stop(): Promise<void>
}

export async function startRedisPair(): Promise<RedisPair> {
  const folder = await mkdtemp('/tmp/atoll-redis-')
  const master = await startServer(join(folder, 'a'))
  const replica = await startServer(join(folder, 'b'), ['--replicaof', '127.0.0.1', String(master.port)])
  await linked(replica)
  const stop = async () => {
    for (const { process } of [master, replica]) {
      if (process.exitCode !== null || process.signalCode !== null) continue
      process.kill('SIGKILL')
      await once(process, 'exit')
    }
    await rm(folder, { recursive: true, force: true })
  }
  return { master, replica, stop }
}

async function startServer(folder: string, more: string[] = []): Promise<TestServer> {
  await mkdir(folder)
  const port = await freePort()
  const path = join(folder, 's')
  const settings = [
    '--port',
    String(port),
    '--unixsocket',
    path,
    '--dir',
    folder,
    '--save',
    '',
    '--repl-diskless-sync-delay',
    '0',
  ]
  const process = spawn('redis-server', [...settings, '--bind', '127.0.0.1', ...more], { stdio: 'ignore' })
  for (;;) {
    const connection = await RedisConnection.open({ path }).catch(() => undefined)
    connection?.close()
    if (connection !== undefined) return { address: { path }, port, process }
    if (process.exitCode !== null) throw new Error('redis-server did not start.')
    await delay(10)
  }
}

async function linked({ address }: TestServer): Promise<void> {
  await using connection = await RedisConnection.open(address)
  while (!String(await connection.call('info', 'replication')).includes('master_link_status:up')) await delay(10)
}

// redis-benchmark through the proxy and past it, one after the other in every round.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type RedisPair, startRedisPair } from '@atoll/cluster/proxy/testing/redis-pair'
import { freePort } from '@atoll/testkit/free-port'
import { median, spreadPercent } from '../measure.ts'

const program = join(import.meta.dirname, '../../services/cluster/src/proxy/proxy-process.ts')
const commands = ['set', 'get']
const requests = 600_000

export async function measureProxy(rounds: number): Promise<void> {
  const pair = await startRedisPair()
  const folder = await mkdtemp('/tmp/ab-')
  const { child, port } = await startProxy(pair, folder)
  const rates = commands.map((command) => ({ command, direct: [] as number[], through: [] as number[] }))
  const added: number[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      for (const { command, direct, through } of rates) {
        direct.push((await run(pair.master.port, command, 50, 16, requests)).rate)
        through.push((await run(port, command, 50, 16, requests)).rate)
      }
      const direct = await run(pair.master.port, 'get', 1, 1, 20_000)
      const through = await run(port, 'get', 1, 1, 20_000)
      added.push(through.p50 - direct.p50)
    }
  } finally {
    child.kill()
    await once(child, 'exit')
    await pair.stop()
    await rm(folder, { recursive: true, force: true })
  }
  for (const { command, direct, through } of rates) {
    const ratio = median(through) / median(direct)
    const spread = `±${spreadPercent(direct)} %, ±${spreadPercent(through)} %`
    console.log(
      `  ${command} at 50 connections, 16 at once: ${thousands(median(through))}/s of ${thousands(median(direct))}/s (${spread}); ratio ${ratio.toFixed(2)} (goal 0.6)`,
    )
  }
  console.log(`  one connection, one at a time: p50 ${median(added).toFixed(3)} ms more (goal 0.15)`)
}

const thousands = (value: number): string => `${Math.round(value / 1000)},000`

async function startProxy(pair: RedisPair, folder: string): Promise<{ child: ChildProcess; port: number }> {
  const port = await freePort()
  const config = {
    listen: { host: '127.0.0.1', port },
    control: join(folder, 'c'),
    target: pair.master.address,
    credentials: { username: 'default', password: '' },
    maxClients: 1000,
  }
  const path = join(folder, 'proxy.json')
  await writeFile(path, JSON.stringify(config))
  const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  await once(child, 'message')
  return { child, port }
}

async function run(port: number, command: string, clients: number, pipeline: number, count: number) {
  const args = ['-p', port, '-c', clients, '-P', pipeline, '-n', count, '-t', command, '-r', 100_000, '--csv'].map(
    String,
  )
  const { stdout } = await promisify(execFile)('redis-benchmark', args)
  // "test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms",…
  const values = (stdout.trim().split('\n').at(-1) ?? '').split(',').map((value) => Number(value.replaceAll('"', '')))
  return { rate: values[1] ?? Number.NaN, p50: values[4] ?? Number.NaN }
}

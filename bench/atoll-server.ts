// Starts Atoll as a user does, with a data folder of its own, and reads its keys and its resource use.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const launcher = fileURLToPath(new URL('../atoll', import.meta.url))
const ticksPerSecond = 100
const settleMs = 3_000

export interface AtollServer {
  url: string
  apiKey: string
  data: string
  /** Resident memory, once it had nothing to do for a while. */
  idleMegabytes: number
  process: ChildProcess
  close(): Promise<void>
}

export async function spawnServer(): Promise<AtollServer> {
  const data = await mkdtemp(join(tmpdir(), 'atoll-bench-'))
  const child = spawn(launcher, ['up', '--only', 'platform', '--data', data, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { url, apiKey } = await readWelcome(child)
  await setTimeout(settleMs)
  return {
    url,
    apiKey,
    data,
    idleMegabytes: Math.round(residentBytes(child) / 1e6),
    process: child,
    async close() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
      await rm(data, { recursive: true, force: true })
    },
  }
}

function readWelcome(child: ChildProcess): Promise<{ url: string; apiKey: string }> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.once('exit', (code) => reject(new Error(`atoll ended with ${code} before it was ready:\n${text}`)))
    child.stdout?.on('data', (chunk) => {
      text += chunk
      const url = /OPENAI_BASE_URL=(\S+)\/v1/.exec(text)?.[1]
      const apiKey = /OPENAI_API_KEY=(\S+)\n/.exec(text)?.[1]
      if (!url || !apiKey) return
      child.stdout?.removeAllListeners('data').resume()
      resolve({ url, apiKey })
    })
  })
}

/** User and system time of all threads so far. */
export function cpuSeconds({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

export function residentBytes({ pid }: ChildProcess): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}

/** The most it ever was. */
export function peakBytes({ pid }: ChildProcess): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}

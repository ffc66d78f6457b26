// Starts Atoll as a user does, with a data folder of its own, and reads its keys and its resource use.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const launcher = fileURLToPath(new URL('../atoll', import.meta.url))
const ticksPerSecond = 100
const settleMs = 3_000
const pollMs = 50

export interface AtollServer {
  url: string
  apiKey: string
  adminKey: string
  data: string
  /** Resident memory, once it had nothing to do for a while. */
  idleMegabytes: number
  process: ChildProcess
  close(): Promise<void>
}

/** `flags` are added to `./atoll up`: `['--model', file]`. */
export async function spawnServer(flags: readonly string[] = []): Promise<AtollServer> {
  const data = await mkdtemp(join(tmpdir(), 'atoll-bench-'))
  // Its log goes to a file, as under a service manager: a reader of ours would take time from what is measured.
  const output = join(data, 'output.log')
  const adminKey = `sk-admin-${randomBytes(16).toString('hex')}`
  const file = await open(output, 'w')
  const child = spawn(launcher, ['up', '--only', 'platform', '--data', data, '--port', '0', ...flags], {
    stdio: ['ignore', file.fd, 'inherit'],
    env: { ...process.env, ATOLL_ADMIN_KEY: adminKey },
  })
  await file.close()
  const { url, apiKey } = await readWelcome(child, output)
  await setTimeout(settleMs)
  return {
    url,
    apiKey,
    adminKey,
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

async function readWelcome(child: ChildProcess, output: string): Promise<{ url: string; apiKey: string }> {
  for (;;) {
    const text = await readFile(output, 'utf8')
    const url = /OPENAI_BASE_URL=(\S+)\/v1/.exec(text)?.[1]
    const apiKey = /OPENAI_API_KEY=(\S+)\n/.exec(text)?.[1]
    if (url && apiKey) return { url, apiKey }
    if (child.exitCode !== null) throw new Error(`atoll ended with ${child.exitCode} before it was ready:\n${text}`)
    await setTimeout(pollMs)
  }
}

/** User and system time of all threads so far. */
export function cpuSeconds({ pid }: Pick<ChildProcess, 'pid'>): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

export function residentBytes({ pid }: Pick<ChildProcess, 'pid'>): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}

/** Forgets the peak of the start: from here on the peak is that of the work. */
export const resetPeak = ({ pid }: ChildProcess): void => writeFileSync(`/proc/${pid}/clear_refs`, '5')

/** The most it was since then. */
export function peakBytes({ pid }: ChildProcess): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}

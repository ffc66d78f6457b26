// An agent in a process of its own, for tests that kill it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { tempDir } from '@atoll/testkit/temp-dir'
import type { AgentKit, TestAgent } from './agent-kit.ts'

export interface AgentChild {
  data: string
  url?: string
  platform: AgentKit['platform']['address']
  /** A node whose clock is ahead does not wait for leases of those that were killed. */
  clockAheadMs: number
  /** Of the events it is woken with. */
  texts: readonly string[]
}

const program = fileURLToPath(new URL('./agent-child.ts', import.meta.url))

export interface KilledAgent {
  /** Those that were committed, so far. */
  told: string[]
  firstTold: Promise<unknown>
  kill(): Promise<void>
}

export async function startToKill(
  { target }: Pick<TestAgent, 'target'>,
  settings: Pick<AgentChild, 'platform' | 'clockAheadMs' | 'texts'>,
): Promise<KilledAgent> {
  const place = target.kind === 'sqlite' ? { data: target.folder } : { data: await tempDir(), url: target.url }
  const child: AgentChild = { ...place, ...settings }
  const started = spawn(process.execPath, [program, JSON.stringify(child)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(started, 'exit')
  const told: string[] = []
  const lines = createInterface(started.stdout)
  const read = once(lines, 'close')
  lines.on('line', (line) => told.push(line))
  return {
    told,
    firstTold: once(lines, 'line'),
    async kill() {
      started.kill('SIGKILL')
      await Promise.all([exited, read])
    },
  }
}

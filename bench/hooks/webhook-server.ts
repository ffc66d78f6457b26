// The peer: Debian's `webhook`, which checks a token and runs /bin/true for each request. It keeps nothing.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '@atoll/testkit/free-port'
import type { Target } from '../post-load.ts'
import { hookHeaders } from './gateway.ts'

const startMs = 20_000
const pollMs = 50

/** Runs `work` while the server is up. */
export async function withWebhookServer<Result>(work: (url: Target['url']) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-webhook-'))
  const file = join(folder, 'hooks.json')
  const parameter = { source: 'header', name: 'Authorization' }
  const rule = { match: { type: 'value', value: hookHeaders.authorization, parameter } }
  await writeFile(file, JSON.stringify([{ id: 'true', 'execute-command': '/bin/true', 'trigger-rule': rule }]))
  const port = await freePort()
  const child = spawn('webhook', ['-hooks', file, '-ip', '127.0.0.1', '-port', String(port)], { stdio: 'ignore' })
  const exited = Promise.race([once(child, 'exit'), once(child, 'error')]).catch(() => undefined)
  try {
    const deadline = performance.now() + startMs
    while (!(await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined))) {
      if (child.exitCode !== null || child.pid === undefined || performance.now() > deadline) throw new Error(missing)
      await setTimeout(pollMs)
    }
    return await work(`http://127.0.0.1:${port}/hooks/true`)
  } finally {
    child.kill('SIGKILL')
    await exited
    await rm(folder, { recursive: true, force: true })
  }
}

const missing = 'This benchmark needs the program webhook (Debian: apt-get install webhook).'

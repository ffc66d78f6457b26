// The gateway as a user starts it, beside its platform, on a data folder that outlives a crash.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '@atoll/testkit/free-port'

const launcher = fileURLToPath(new URL('../../atoll', import.meta.url))
const pollMs = 5
const startMs = 60_000
const token = 'a-hook-token-for-benchmarks'
const adminToken = 'an-admin-token-for-benchmarks'
export const hookHeaders = { authorization: `Bearer ${token}` }

export class Gateway {
  readonly #folder: string
  readonly url: string
  #process: ChildProcess | undefined

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.url = `http://127.0.0.1:${port}`
  }

  /** Nothing that it accepts is run, so that acceptance alone is measured. */
  static async open(): Promise<Gateway> {
    const folder = await mkdtemp(join(tmpdir(), 'atoll-bench-hooks-'))
    const port = await freePort()
    const hooks = { token, adminToken, port, queue: { maxQueued: 10_000_000 } }
    // Wakes wait for the next heartbeat, and there is none: no model is asked.
    const agents = { defaults: { heartbeat: { every: '0m' } } }
    await writeFile(join(folder, 'atoll.json'), JSON.stringify({ hooks, agents, log: { level: 'warn' } }))
    const gateway = new Gateway(folder, port)
    await gateway.start()
    await gateway.#admin('POST', '/pause', {})
    return gateway
  }

  get process(): ChildProcess {
    if (this.#process === undefined) throw new Error('the gateway is not running')
    return this.#process
  }

  /** Resolves to the seconds from the start of the process to its first answer to a hook. */
  async start(): Promise<number> {
    const began = performance.now()
    const output = join(this.#folder, 'output.log')
    const file = await open(output, 'w')
    const flags = ['--only', 'platform,hooks', '--port', '0', '--data', join(this.#folder, 'data')]
    const child = spawn(launcher, ['up', ...flags, '--config', join(this.#folder, 'atoll.json')], {
      stdio: ['ignore', file.fd, file.fd],
    })
    this.#process = child
    await file.close()
    while (!(await this.#answers())) {
      if (child.exitCode !== null || performance.now() - began > startMs) {
        throw new Error(`the gateway did not start:\n${await readFile(output, 'utf8')}`)
      }
      await setTimeout(pollMs)
    }
    return (performance.now() - began) / 1000
  }

  async #answers(): Promise<boolean> {
    const body = JSON.stringify({ message: 'Are you there?', sessionKey: 'hook:first' })
    const answer = await fetch(`${this.url}/hooks/agent`, { method: 'POST', headers: hookHeaders, body }).catch(
      () => null,
    )
    await answer?.arrayBuffer()
    return answer?.status === 202
  }

  async waiting(): Promise<number> {
    const status = await this.#admin('GET', '/status')
    return ((await status.json()) as { deliveries: { queued: number } }).deliveries.queued
  }

  async #admin(method: string, path: string, body?: object): Promise<Response> {
    const response = await fetch(`${this.url}/hooks-admin${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response
  }

  async kill(): Promise<void> {
    const exited = once(this.process, 'exit')
    this.process.kill('SIGKILL')
    await exited
  }

  async close(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

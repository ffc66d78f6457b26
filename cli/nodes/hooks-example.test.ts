// Runs examples/hooks as a reader does: its configuration, its transform and its script, with the built-in model.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { lacking } from '@atoll/testkit/lacking'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { root } from '../places.ts'
import { ServerProcess } from './server-process.ts'

const run = promisify(execFile)
const folder = join(root, 'examples', 'hooks')
const lacks = lacking('curl')
const token = 'hook-token-of-the-example'
const patience = { timeout: 60_000, interval: 100 }

interface Delivery {
  id: string
  path: string
  state: string
  duplicates: number
  action: { message?: string } | null
  outcome: { reply?: string } | null
}

describe.skipIf(lacks !== '')(`examples/hooks${lacks && `: this machine lacks ${lacks}`}`, () => {
  let server: ServerProcess
  let url: string
  beforeAll(async () => {
    const args = ['--only', 'platform,hooks', '--port', '0', '--data', await tempDir()]
    const env = { ATOLL_HOOKS_TOKEN: token, ATOLL_LOG_LEVEL: 'warn' }
    server = new ServerProcess({ args: [...args, '--config', join(folder, 'atoll.yaml')], env })
    url = await server.ready('hooks')
  }, 60_000)
  afterAll(async () => {
    await server?.stop()
  })

  async function admin<Answer>(path: string): Promise<Answer> {
    const secret = /ATOLL_HOOKS_ADMIN_TOKEN=(\S+)/.exec(server.output)?.[1]
    const response = await fetch(`${url}/hooks-admin${path}`, { headers: { authorization: `Bearer ${secret}` } })
    return response.json() as Promise<Answer>
  }

  async function deliveries(): Promise<Delivery[]> {
    const list = await admin<{ deliveries: Delivery[] }>('/deliveries?order=asc')
    return Promise.all(list.deliveries.map(({ id }) => admin<Delivery>(`/deliveries/${id}`)))
  }

  it('answers the script, and runs what it sends (HOOK-010, HOOK-017, HOOK-073, HOOK-074)', {
    timeout: 120_000,
  }, async () => {
    const env = { PATH: process.env.PATH ?? '', ATOLL_HOOKS_URL: url, ATOLL_HOOKS_TOKEN: token }
    const { stdout } = await run('sh', [join(folder, 'send.sh')], { env })
    const lines = stdout.trim().split('\n')
    expect(lines.map((line) => line.replace(/"dlv_\w+"/, '"…"'))).toEqual([
      'wake: {"ok":true,"mode":"next-heartbeat"} 200',
      'agent: {"ok":true,"runId":"…"} 202',
      'deployment: {"ok":true,"runId":"…"} 202',
      'build: {"ok":true,"runId":"…"} 202',
      'build:  204',
      'agent: {"ok":true,"runId":"…"} 202',
    ])
    expect(lines.at(-1)).toBe(lines[1])
    const states = async () => (await deliveries()).map(({ path, state }) => `${path} ${state}`)
    await vi.waitFor(
      async () =>
        expect(await states()).toEqual([
          ...['wake succeeded', 'agent succeeded', 'deployment succeeded', 'build succeeded', 'build skipped'],
        ]),
      patience,
    )
    const [, agent, deployment, build] = await deliveries()
    expect(agent?.duplicates).toBe(1)
    expect(deployment?.action?.message).toBe('Ada has deployed lighthouse 2.4. Who has deployed it?')
    expect(build?.action?.message).toContain('has failed in the step link.')
    for (const delivery of [agent, deployment, build]) expect(delivery?.outcome?.reply).toMatch(/\S/)
  })
})

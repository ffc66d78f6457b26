// Metered calls over HTTP to a server that is killed again and again: what it has answered is what its usage tells.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { DatabaseTarget } from '@atoll/kernel/db/open'
import { describeBothTargets } from '@atoll/testkit/both-targets'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { asPage } from '../../resources/organization/usage/testing/usage-page.ts'
import { waitUntil } from '../../testing/wait-until.ts'

const isLong = process.env.ATOLL_TEST_LONG === '1'
const rounds = isLong ? 50 : 2
const callsARound = isLong ? 200 : 60
const callersAtOnce = 6
const program = new URL('../../resources/threads/runs/testing/run-node.ts', import.meta.url).pathname

interface Server {
  process: ChildProcess
  url: string
  apiKey?: string
  adminKey?: string
}

async function start(target: DatabaseTarget, folder: string): Promise<Server> {
  const env = { ...process.env, ATOLL_TEST_TARGET: JSON.stringify(target) }
  const child = spawn(process.execPath, [program, folder], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return { process: child, ...(JSON.parse(line) as Omit<Server, 'process'>) }
}

async function kill({ process: child }: Server): Promise<void> {
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

/** Calls until the server is gone; kills it amid the calls. */
async function callUntilKilled(server: Server, apiKey: string): Promise<{ answered: number; unknown: number }> {
  const counts = { answered: 0, unknown: 0 }
  const lastCall = randomInt(callsARound / 2, callsARound * 1.5)
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'text-embedding-3-small', input: 'coral' })
  let killed: Promise<void> | undefined
  const caller = async (): Promise<void> => {
    for (;;) {
      try {
        const response = await fetch(`${server.url}/v1/embeddings`, { method: 'POST', headers, body })
        expect(response.status).toBe(200)
        await response.arrayBuffer()
      } catch (error) {
        if (killed === undefined) throw error
        counts.unknown++
        return
      }
      if (++counts.answered >= lastCall) killed ??= kill(server)
    }
  }
  await Promise.all(Array.from({ length: callersAtOnce }, caller))
  await killed
  return counts
}

async function callsTold({ url }: Server, adminKey: string, since: number, width: string): Promise<number> {
  const query = `start_time=${since}&bucket_width=${width}&limit=${width === '1m' ? 1440 : 31}`
  const headers = { authorization: `Bearer ${adminKey}` }
  const page = asPage(await (await fetch(`${url}/v1/organization/usage/embeddings?${query}`, { headers })).json())
  const results = page.data.flatMap((bucket) => bucket.results)
  return results.reduce((sum, { num_model_requests }) => sum + Number(num_model_requests), 0)
}

describeBothTargets('usage of a server that is killed', (newTarget) => {
  it(`is that of the calls it has answered (${rounds} rounds of kill -9)`, { timeout: rounds * 60_000 }, async () => {
    const target = await newTarget()
    const folder = target.kind === 'sqlite' ? target.folder : await tempDir()
    const began = Math.floor(Date.now() / 1000)
    let [answered, unknown, apiKey, adminKey] = [0, 0, '', '']
    for (let round = 0; round < rounds; round++) {
      const server = await start(target, folder)
      apiKey ||= server.apiKey ?? ''
      adminKey ||= server.adminKey ?? ''
      const counts = await callUntilKilled(server, apiKey)
      answered += counts.answered
      unknown += counts.unknown
    }
    const last = await start(target, folder)
    const told = (width: string) => callsTold(last, adminKey, began, width)
    await waitUntil(async () => (await told('1d')) >= answered, 20_000)
    const sums = await Promise.all(['1m', '1h', '1d'].map(told))
    await kill(last)
    // Calls that were being answered when the server was killed may have been counted.
    expect(sums[0]).toBeLessThanOrEqual(answered + unknown)
    expect(sums).toEqual([sums[0], sums[0], sums[0]])
    console.info(`usage over HTTP, kill -9: ${rounds} rounds, ${answered} calls answered, ${sums[0]} told by usage`)
  })
})

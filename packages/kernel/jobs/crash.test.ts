import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import type { DatabaseTarget } from '../db/open.ts'
import { describeClusters, type TestNode } from './testing/cluster.ts'

const long = process.env.ATOLL_TEST_LONG === '1'
const rounds = long ? 50 : 2
const mostPairsBeforeKill = 60
const program = new URL('./testing/crash-child.ts', import.meta.url).pathname

function start(target: DatabaseTarget, mode: 'enqueue' | 'drain') {
  const env = { ...process.env, ATOLL_TEST_TARGET: JSON.stringify(target) }
  return spawn(process.execPath, [program, mode], { env, stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Runs a node until it has acknowledged so many pairs of jobs, then kills it. Returns all it acknowledged. */
async function runAndKill(target: DatabaseTarget, pairs: number): Promise<[once: string, repeatable: string][]> {
  const child = start(target, 'enqueue')
  const exited = once(child, 'exit')
  const acknowledged: [string, string][] = []
  for await (const line of createInterface({ input: child.stdout })) {
    const [exact, repeatable] = line.split(' ')
    if (exact === undefined || repeatable === undefined) throw new Error(`Unexpected line: ${line}`)
    acknowledged.push([exact, repeatable])
    if (acknowledged.length === pairs) child.kill('SIGKILL')
  }
  expect(await exited).toEqual([null, 'SIGKILL'])
  return acknowledged
}

async function drain(target: DatabaseTarget): Promise<void> {
  const child = start(target, 'drain')
  child.stdout.resume()
  expect(await once(child, 'exit')).toEqual([0, null])
}

/** How often each job has left its effect, by kind. */
async function effectsOf({ db }: TestNode) {
  const rows = await db.queries
    .selectFrom('effects')
    .select((eb) => ['job', 'note', eb.fn.countAll<number>().as('count')])
    .groupBy(['job', 'note'])
    .execute()
  const counts = (kind: string) => new Map(rows.filter(({ note }) => note === kind).map((row) => [row.job, row.count]))
  return { exact: counts('once'), repeatable: counts('repeatable') }
}

describeClusters('jobs of nodes that are killed', (createCluster) => {
  it(`all run to their end, and what they commit with their end happens exactly once (${rounds} rounds of kill -9)`, {
    timeout: 60_000 + rounds * 20_000,
  }, async () => {
    const cluster = await createCluster()
    await cluster.addNode()
    await cluster.close()
    const acknowledged: [string, string][] = []
    for (let round = 0; round < rounds; round++) {
      const pairs = 1 + Math.floor(Math.random() * mostPairsBeforeKill)
      acknowledged.push(...(await runAndKill(cluster.target, pairs)))
    }
    await drain(cluster.target)
    const checker = await cluster.addNode()
    const { exact, repeatable } = await effectsOf(checker)
    for (const [once, again] of acknowledged) expect([exact.has(once), repeatable.has(again)]).toEqual([true, true])
    expect(new Set(exact.values())).toEqual(new Set([1]))
    expect(await checker.jobs.counts()).toEqual({ waiting: 0, running: 0, dead: 0 })
    const repeated = [...repeatable.values()].filter((count) => count > 1).length
    console.log(`${rounds} kills, ${acknowledged.length * 2} jobs acknowledged, none lost, ${repeated} run again`)
  })
})

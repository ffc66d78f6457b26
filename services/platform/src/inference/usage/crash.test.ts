import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { migrate } from '@atoll/kernel/db/migrate'
import { type DatabaseTarget, openDatabase } from '@atoll/kernel/db/open'
import { describeBothTargets } from '@atoll/testkit/both-targets'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { usageEventsMigration } from '../../migrations/0005-usage-events.ts'
import { usageAndLimitsMigration } from '../../migrations/0015-usage-and-limits.ts'
import { type BucketSums, bucketSums } from './testing/bucket-sums.ts'

const rounds = process.env.ATOLL_TEST_LONG === '1' ? 50 : 2
const longestLifeMs = 700
const program = new URL('./testing/crash-child.ts', import.meta.url).pathname

function start(target: DatabaseTarget, folder: string, mode: 'record' | 'drain') {
  const env = { ...process.env, ATOLL_TEST_TARGET: JSON.stringify(target) }
  return spawn(process.execPath, [program, folder, mode], { env, stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Kills a recording node at a random moment. Returns the ids it acknowledged. */
async function runAndKill(target: DatabaseTarget, folder: string): Promise<string[]> {
  const child = start(target, folder, 'record')
  const closed = once(child, 'close')
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  await Promise.race([once(child.stdout, 'data'), closed])
  setTimeout(() => child.kill('SIGKILL'), randomInt(longestLifeMs))
  expect(await closed).toEqual([null, 'SIGKILL'])
  return output.split('\n').slice(0, -1) // the kill may cut the last line
}

async function stored(target: DatabaseTarget): Promise<{ ids: string[]; sums: BucketSums[] }> {
  const db = await openDatabase(target, { log: silentLog })
  try {
    const rows = await db.queries.selectFrom('usage_events').select('id').execute()
    return { ids: rows.map(({ id }) => id), sums: await bucketSums(db.queries) }
  } finally {
    await db.close()
  }
}

describeBothTargets('usage of nodes that are killed', (newTarget) => {
  it(`is in the database and in the sums of each width exactly once for every call that was answered (${rounds} rounds of kill -9)`, {
    timeout: 60_000 + rounds * 20_000,
  }, async () => {
    const target = await newTarget()
    const folder = await tempDir()
    const db = await openDatabase(target, { log: silentLog })
    await migrate(db, [usageEventsMigration, usageAndLimitsMigration])
    await db.close()
    const acknowledged: string[] = []
    for (let round = 0; round < rounds; round++) acknowledged.push(...(await runAndKill(target, folder)))
    const drain = start(target, folder, 'drain')
    drain.stdout.resume()
    expect(await once(drain, 'exit')).toEqual([0, null])
    const { ids, sums } = await stored(target)
    const known = new Set(ids)
    expect(acknowledged.filter((id) => !known.has(id))).toEqual([])
    expect(ids.length).toBe(known.size)
    expect(sums.map(({ requests }) => requests)).toEqual([ids.length, ids.length, ids.length])
    // Recorded, but killed before it could say so: at most one a round.
    expect(ids.length - acknowledged.length).toBeLessThanOrEqual(rounds)
    expect(readdirSync(folder)).toEqual([])
    expect(acknowledged.length).toBeGreaterThan(rounds)
    console.info(
      `usage, kill -9: ${rounds} rounds, ${acknowledged.length} events acknowledged, none lost, none doubled`,
    )
  })
})

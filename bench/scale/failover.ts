// The primary is killed under load: how long the database itself takes, how long the group does, and what was lost.
import { setTimeout as pause } from 'node:timers/promises'
import type { Queries } from '@atoll/kernel/db/database'
import { openDatabase } from '@atoll/kernel/db/open'
import { silentLog } from '@atoll/testkit/silent-log'
import { sql } from 'kysely'
import { Availability } from '../../cli/chaos/availability.ts'
import { Caller } from '../../cli/chaos/caller.ts'
import { apiKey, apiUrl, type Group } from '../../cli/chaos/group.ts'
import { CompletionLoad } from '../../cli/chaos/loads/completions.ts'
import { MessageLoad } from '../../cli/chaos/loads/messages.ts'

const rounds = 3
const loadMs = 3_000
const lookMs = 20
const giveUpMs = 120_000
/** Beyond what the database takes. */
const goalMs = 2_000

export async function measureFailover(group: Group): Promise<void> {
  console.log(`    ${group.database.what}, killed ${rounds} times`)
  const caller = new Caller(apiUrl, apiKey)
  const loads = [new CompletionLoad(caller), new MessageLoad(caller)]
  const availability = new Availability()
  for (const load of loads) load.start()
  for (let round = 0; round < rounds; round++) {
    await pause(loadMs)
    const { bareMs, groupMs } = await kill(group, availability)
    const verdict = groupMs <= bareMs + goalMs ? '' : ', missed'
    console.log(
      `    without a write: a bare client ${seconds(bareMs)}, the group ${seconds(groupMs)} (goal at most ${seconds(bareMs + goalMs)}${verdict})`,
    )
  }
  await Promise.all([...loads.map((load) => load.stop()), availability.stop()])
  const lost = (await Promise.all(loads.map((load) => load.verify()))).flat()
  const acknowledged = loads.reduce((sum, load) => sum + load.acknowledged, 0)
  console.log(`    acknowledged ${acknowledged}, lost ${lost.length} (goal 0)`)
  for (const line of lost) console.log(`      ${line}`)
}

/** The longest time without a granted write: of a client with one connection to the database, and of the group. */
async function kill({ database, databaseUrl }: Group, availability: Availability) {
  const bare = await openDatabase({ kind: 'postgres', url: databaseUrl, poolSize: 1 }, { log: silentLog })
  try {
    await sql`create table if not exists of_the_bench (at bigint)`.execute(bare.queries)
    availability.reset()
    const over = new AbortController()
    const writing = longestGap(bare, over.signal)
    await database.killPrimary()
    const backMs = await availability.back(giveUpMs)
    over.abort()
    if (backMs === undefined) throw new Error('The group takes no writes any more.')
    return { bareMs: await writing, groupMs: availability.longestOutageMs }
  } finally {
    await bare.close()
  }
}

/** Until one is granted after the signal. */
async function longestGap({ queries }: { queries: Queries }, over: AbortSignal): Promise<number> {
  let last = performance.now()
  let longest = 0
  for (;;) {
    const isLast = over.aborted
    try {
      await sql`insert into of_the_bench values (1)`.execute(queries)
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
      if (isLast) return longest
    } catch (error) {
      if (performance.now() - last > giveUpMs) throw error
    }
    await pause(lookMs)
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

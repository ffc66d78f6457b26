import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../open.ts'

const rounds = process.env.ATOLL_TEST_LONG ? 100 : 4
const fixture = fileURLToPath(new URL('./testing/crash-child.ts', import.meta.url))

/** Runs the fixture, kills it some time after its first acknowledgement, and returns all it acknowledged. */
async function runAndKill(folder: string, round: number): Promise<string[]> {
  const child = spawn(process.execPath, [fixture, folder, String(round)], { stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close')
  let output = ''
  let complaint = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaint += text
  })
  await Promise.race([once(child.stdout, 'data'), closed])
  setTimeout(() => child.kill('SIGKILL'), randomInt(0, 120))
  const [code, signal] = await closed
  expect({ code, signal, complaint }).toEqual({ code: null, signal: 'SIGKILL', complaint: '' })
  // The kill may cut the last line.
  return output.split('\n').slice(0, -1)
}

async function stored(folder: string) {
  const db = await openDatabase({ kind: 'sqlite', folder }, { log: silentLog })
  try {
    const read = async (query: ReturnType<typeof sql<{ id: string }>>) =>
      new Set((await query.execute(db.queries)).rows.map((row) => row.id))
    return {
      singles: await read(sql`select id from singles`),
      pairs: await read(sql`select id from pairs group by id having count(*) = 2`),
      halves: await read(sql`select id from pairs group by id having count(*) <> 2`),
      integrity: (await sql`pragma integrity_check`.execute(db.queries)).rows,
    }
  } finally {
    await db.close()
  }
}

describe('kill -9', () => {
  it(`loses no acknowledged write and leaves no half transaction (${rounds} rounds)`, {
    timeout: 60_000 + rounds * 10_000,
  }, async () => {
    const folder = await tempDir()
    const acknowledged: string[] = []
    for (let round = 0; round < rounds; round++) {
      acknowledged.push(...(await runAndKill(folder, round)))
      const { singles, pairs, halves, integrity } = await stored(folder)
      const lost = acknowledged.filter((line) => {
        const [kind, id] = line.split(' ') as [string, string]
        return !(kind === 'single' ? singles : pairs).has(id)
      })
      expect({ lost, halves: [...halves], integrity }).toEqual({
        lost: [],
        halves: [],
        integrity: [{ integrity_check: 'ok' }],
      })
    }
    expect(acknowledged.length).toBeGreaterThan(rounds)
    console.info(`kill -9: ${rounds} rounds, ${acknowledged.length} acknowledged writes, none lost`)
  })
})

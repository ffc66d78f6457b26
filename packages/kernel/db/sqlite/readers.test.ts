import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { type RawBuilder, sql } from 'kysely'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Database } from '../database.ts'
import { openDatabase } from '../open.ts'

const rows = 24_000

let db: Database

beforeEach(async () => {
  db = await openDatabase({ kind: 'sqlite', folder: await tempDir() }, { log: silentLog })
  await sql`create table items (n integer primary key, owner text, text text)`.execute(db.queries)
  await sql`
    insert into items with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${rows})
    select n, 'somebody', printf('%.*c', 400, 'x') from numbers`.execute(db.queries)
})

afterEach(() => db.close())

/** Compares every row with many others, and finds nothing. */
const longRead = (owner: string) =>
  sql<{ n: number }>`
    select a.n from items a cross join items b on b.n between a.n and a.n + 60
    where a.owner = ${owner} and a.text = b.text || a.n`.execute(db.queries)

const count = async () => {
  const { rows } = await sql<{ n: number }>`select count(*) as n from items`.execute(db.queries)
  return rows[0]?.n
}

/** Milliseconds that `work` took, and the longest of them in which nothing else could run. */
async function heldUp(work: () => Promise<unknown>): Promise<{ took: number; longest: number }> {
  const begun = performance.now()
  let last = begun
  let longest = 0
  let done = false
  const tick = () => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
    if (!done) setImmediate(tick)
  }
  tick()
  await work()
  done = true
  tick()
  return { took: performance.now() - begun, longest }
}

it('a read of many rows holds up nothing else', async () => {
  const { took, longest } = await heldUp(() => longRead('somebody'))
  expect(longest).toBeLessThan(took / 3)
})

it('a few rows that are named by their keys are read at once; a thread reads many, and those that must be looked for', async () => {
  await sql`create table owners (name text primary key)`.execute(db.queries)
  await sql`insert into owners values ('somebody'), ('nobody')`.execute(db.queries)
  const keys = (count: number) => sql.join(Array.from({ length: count }, (_, at) => at * 7 + 1))
  const rowsOf = async (condition: RawBuilder<unknown>): Promise<{ found: number; threads: number }> => {
    const posted = vi.spyOn(Worker.prototype, 'postMessage')
    const { rows: found } = await sql`
      select n, text from items join owners on owners.name = items.owner where ${condition}`.execute(db.queries)
    const threads = posted.mock.calls.filter(([message]) => (message as { kind: string }).kind === 'read').length
    posted.mockRestore()
    return { found: found.length, threads }
  }
  expect(await rowsOf(sql`n = ${5}`)).toEqual({ found: 1, threads: 0 })
  expect(await rowsOf(sql`n in (${keys(64)})`)).toEqual({ found: 64, threads: 0 })
  expect(await rowsOf(sql`n in (${keys(10)}) and name in ('somebody', 'else')`)).toEqual({ found: 10, threads: 0 })
  expect(await rowsOf(sql`n in (${keys(200)})`)).toEqual({ found: 200, threads: 1 })
  expect(await rowsOf(sql`n in (select n from items where text = ${'x'})`)).toEqual({ found: 0, threads: 1 })
  expect(await rowsOf(sql`n in (${keys(2)}) or text in (${'x'}, ${'y'})`)).toEqual({ found: 2, threads: 1 })
})

it('a read sees every write that was acknowledged before it', async () => {
  for (let i = 1; i <= 100; i++) {
    await sql`insert into items (owner) values ('me')`.execute(db.queries)
    expect(await count()).toBe(rows + i)
    await db.transaction((tx) => sql`delete from items where n = ${i}`.execute(tx))
    expect(await count()).toBe(rows + i - 1)
    await sql`insert into items (n, owner) values (${i}, 'me')`.execute(db.queries)
  }
})

it('a large result arrives whole, in order, and a piece at a time', async () => {
  const read = sql<{ n: number; text: string }>`select n, text || n as text from items order by n`
  let found: { n: number; text: string }[] = []
  const { took, longest } = await heldUp(async () => {
    found = (await read.execute(db.queries)).rows
  })
  expect(found).toHaveLength(rows)
  expect(found.every(({ n, text }, i) => n === i + 1 && text === `${'x'.repeat(400)}${n}`)).toBe(true)
  expect(longest).toBeLessThan(took)
})

it('one whose reads are many and long does not keep others from theirs', async () => {
  let finished = 0
  const greedy = Array.from({ length: 6 }, () => longRead('somebody').then(() => finished++))
  const modest = await sql`select n from items where owner = ${'nobody'} and text = 'y'`.execute(db.queries)
  expect(modest.rows).toEqual([])
  expect(finished).toBeLessThan(4)
  await Promise.all(greedy)
})

it('an error of a read is its own, and the thread reads on', async () => {
  const wrong = sql`select json_extract(text, '$.a') from items`.execute(db.queries)
  await expect(wrong).rejects.toThrow('malformed JSON')
  expect(await count()).toBe(rows)
})

it('a reader that dies fails what it read, and the next read gets another', async () => {
  const started = once(process, 'worker') as Promise<[Worker]>
  const read = longRead('somebody')
  const [worker] = await started
  void worker.terminate()
  await expect(read).rejects.toThrow('reader stopped')
  expect(await count()).toBe(rows)
})

it('what is being read comes to its end before the database closes', async () => {
  const reads = [longRead('a'), longRead('b'), longRead('b'), count()]
  await new Promise(setImmediate)
  await db.close()
  await Promise.all(reads)
  await expect(count()).rejects.toThrow()
})

import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Worker } from 'node:worker_threads'
import { silentLog } from '@atoll/testkit/silent-log'
import { dataDir } from '@atoll/testkit/temp-dir'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Database, Tx } from '../database.ts'
import { openDatabase } from '../open.ts'
import { isUniqueViolation } from '../unique-violation.ts'
import { keepIdleWriters } from './writer-workers.ts'

let folder: string
let db: Database

const lost: Error[] = []
const open = (path: string) =>
  openDatabase({ kind: 'sqlite', folder: path }, { log: silentLog, lost: (error) => lost.push(error) })
const insert = (queries: Database['queries'] | Tx, id: string) =>
  sql`insert into items (id) values (${id})`.execute(queries)
const exec = (text: string) => sql.raw(text).execute(db.queries)

async function items(): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from items order by id`.execute(db.queries)
  return rows.map((row) => row.id)
}

beforeEach(async () => {
  folder = await dataDir()
  db = await open(folder)
  await exec('create table items (id text primary key)')
})

afterEach(async () => {
  vi.useRealTimers()
  await db.close()
})

describe('single writes', () => {
  it('fail alone when they are committed together', async () => {
    const ids = Array.from({ length: 50 }, (_, i) => (i === 20 ? '0' : String(i)))
    const results = await Promise.allSettled(ids.map((id) => insert(db.queries, id)))
    const failed = results.flatMap((result, i) => (result.status === 'rejected' ? [[i, result.reason]] : []))
    expect(failed).toHaveLength(1)
    expect(failed[0]?.[0]).toBe(20)
    expect(isUniqueViolation(failed[0]?.[1])).toBe(true)
    expect(await items()).toHaveLength(49)
  })

  it('all fail, and say so, when their common commit fails; later ones work', async () => {
    await exec('create table parents (id text primary key)')
    await exec('create table children (parent text references parents (id) deferrable initially deferred)')
    const orphan = exec("insert into children values ('nobody')")
    const results = await Promise.allSettled([insert(db.queries, 'a'), orphan, insert(db.queries, 'b')])
    for (const result of results) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { message: expect.stringContaining('nothing was written') },
      })
    }
    expect(await items()).toEqual([])
    await insert(db.queries, 'c')
    expect(await items()).toEqual(['c'])
  })

  it('fail when the disk is full, and keep what was acknowledged', async () => {
    await insert(db.queries, 'before')
    await db.transaction(async (tx) => {
      const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(tx)
      await sql.raw(`pragma max_page_count = ${rows[0]!.page_count + 20}`).execute(tx)
    })
    const big = (n: number) => insert(db.queries, `${n}-${'x'.repeat(50_000)}`)
    const results = await Promise.allSettled([1, 2, 3, 4].map(big))
    const kept = results.filter((result) => result.status === 'fulfilled').length
    expect(kept).toBeLessThan(4)
    expect(await items()).toHaveLength(1 + kept)
    const failed = db.transaction(async (tx) => {
      await insert(tx, 'half')
      await insert(tx, 'x'.repeat(200_000))
    })
    await expect(failed).rejects.toThrow('full')
    await insert(db.queries, 'after')
    expect(await items()).not.toContain('half')
    expect(await items()).toContain('after')
  })

  it('work with more different texts than are kept prepared', async () => {
    const many = Array.from({ length: 1_500 }, (_, i) => i)
    await Promise.all(many.map((i) => exec(`insert into items (id) values ('${i}')`)))
    await Promise.all(many.map((i) => exec(`update items set id = id || '!' where id = '${i}'`)))
    expect(new Set(await items())).toEqual(new Set(many.map((i) => `${i}!`)))
  })

  it('refuse a value that cannot be stored, without harm to the others', async () => {
    const bad = [true, new Date(), {}, undefined, Symbol('x')]
    const results = await Promise.allSettled([
      ...bad.map((value) => sql`insert into items (id) values (${value})`.execute(db.queries)),
      insert(db.queries, 'good'),
    ])
    expect(results.map((result) => result.status)).toEqual([...bad.map(() => 'rejected'), 'fulfilled'])
  })

  it('keep bytes as they are', async () => {
    await exec('create table bytes (data blob)')
    const view = Buffer.from('....hello....').subarray(4, 9)
    await sql`insert into bytes values (${view})`.execute(db.queries)
    const { rows } = await sql<{ data: Uint8Array }>`select data from bytes`.execute(db.queries)
    expect(Buffer.from(rows[0]!.data).toString()).toBe('hello')
  })
})

describe('a batch', () => {
  it('lands in no transaction that is open', async () => {
    await db.transaction(async (tx) => {
      await insert(tx, 'a')
      const outside = db.batch((batch) => insert(batch, 'b'))
      const { rows } = await sql`select id from items`.execute(tx)
      expect(rows).toEqual([{ id: 'a' }])
      outside.catch(() => {})
    })
    await expect.poll(items).toEqual(['a', 'b'])
  })

  it('with a statement that gives rows is refused as a whole, since nobody would see them', async () => {
    const reading = db.batch(async (batch) => {
      await insert(batch, 'a')
      await sql`select id from items`.execute(batch)
      await insert(batch, 'b')
    })
    const others = ['c', 'd'].map((id) => db.batch((batch) => insert(batch, id)))
    await expect(reading).rejects.toThrow('this one gives rows')
    await Promise.all(others)
    expect(await items()).toEqual(['c', 'd'])
  })
})

describe('a transaction', () => {
  it('lets no single write in between', async () => {
    await db.transaction(async (tx) => {
      await insert(tx, 'a')
      const outside = insert(db.queries, 'b')
      const { rows } = await sql`select id from items`.execute(tx)
      expect(rows).toEqual([{ id: 'a' }])
      outside.catch(() => {})
    })
    await expect.poll(items).toEqual(['a', 'b'])
  })

  it('is not seen by others before it is committed', async () => {
    await db.transaction(async (tx) => {
      await insert(tx, 'a')
      expect(await items()).toEqual([])
    })
    expect(await items()).toEqual(['a'])
  })

  it('shares a commit with those that wait, and each keeps or loses its own', async () => {
    const run = (n: number) =>
      db.transaction(async (tx) => {
        await insert(tx, String(n).padStart(3, '0'))
        if (n % 3 === 0) throw new Error('no')
      })
    const results = await Promise.allSettled(Array.from({ length: 100 }, (_, n) => run(n)))
    expect(results.filter((result) => result.status === 'rejected')).toHaveLength(34)
    expect(await items()).toHaveLength(66)
  })

  it('becomes durable before a large one begins that came after it, however many go on writing', async () => {
    const seen: Record<string, string[]> = {}
    const write = (id: string, isLarge: boolean): Promise<void> =>
      db.transaction(
        async (tx) => {
          seen[id] = await items()
          await insert(tx, id)
        },
        { isLarge },
      )
    await Promise.all([write('note', false), write('library', true), write('other', false)])
    expect(seen.library).toEqual(['note', 'other'])
    let isOver = false
    const others = (async () => {
      for (let n = 0; !isOver; n++) await Promise.all([insert(db.queries, `a${n}`), insert(db.queries, `b${n}`)])
    })()
    for (let n = 0; n < 5; n++) await write(`large${n}`, true)
    isOver = true
    await others
  })

  it('that awaits something else for 5 seconds is rolled back, and its caller told', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const stuck = db.transaction(async (tx) => {
      await insert(tx, 'a')
      vi.advanceTimersByTime(5_000)
      await new Promise(() => {})
    })
    await expect(stuck).rejects.toThrow(/no database call for 5 seconds/)
    await insert(db.queries, 'b')
    expect(await items()).toEqual(['b'])
  })

  it('rolled back for idleness cannot write any more', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const late = Promise.withResolvers<unknown>()
    const resume = Promise.withResolvers<void>()
    const idle = db.transaction(async (tx) => {
      await insert(tx, 'a')
      vi.advanceTimersByTime(5_000)
      await resume.promise
      await insert(tx, 'late').then(late.resolve, late.resolve)
    })
    await expect(idle).rejects.toThrow('no database call')
    resume.resolve()
    expect(await late.promise).toBeInstanceOf(Error)
    expect(await items()).toEqual([])
  })
})

describe('a data folder', () => {
  it('belongs to one at a time', async () => {
    await expect(open(folder)).rejects.toThrow(/in use by another Atoll process/)
    await db.close()
    db = await open(folder)
  })

  it('is refused to a second process with a clear message', async () => {
    const fixture = fileURLToPath(new URL('./testing/crash-child.ts', import.meta.url))
    const second = await promisify(execFile)(process.execPath, [fixture, folder]).catch((error) => error)
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('in use by another Atoll process') })
  })
})

describe('the writer', () => {
  it('finishes what is under way before it closes', async () => {
    const writes = Array.from({ length: 20 }, (_, i) => insert(db.queries, String(i)))
    const transaction = db.transaction(async (tx) => {
      await insert(tx, 'x')
      await insert(tx, 'y')
    })
    await new Promise(setImmediate)
    await db.close()
    await Promise.all([...writes, transaction])
    db = await open(folder)
    expect(await items()).toHaveLength(22)
  })

  it('leaves its thread to the next database where that is wanted, and nothing else', async () => {
    keepIdleWriters(0)
    keepIdleWriters(1)
    await insert(db.queries, 'a')
    await db.close()
    let started = 0
    const count = (): void => void started++
    process.on('worker', count)
    db = await open(await dataDir())
    await exec('create table items (id text primary key, more text)')
    await insert(db.queries, 'b')
    process.off('worker', count)
    expect({ items: await items(), started }).toEqual({ items: ['b'], started: 0 })
    await db.close()
    db = await open(folder)
    expect(await items()).toEqual(['a'])
  })

  it('when it dies, tells all who wait and the health check', async () => {
    keepIdleWriters(0)
    await db.close()
    const started = once(process, 'worker') as Promise<[Worker]>
    db = await open(folder)
    const [worker] = await started
    const waiting = [
      db.transaction(async (tx) => {
        await insert(tx, 'a')
        await worker.terminate()
        await insert(tx, 'b')
      }),
      db.transaction((tx) => insert(tx, 'c')),
    ]
    const results = await Promise.allSettled([...waiting, insert(db.queries, 'd')])
    for (const result of results) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { message: expect.stringContaining('writer stopped') },
      })
    }
    await expect(db.ping()).rejects.toThrow('writer stopped')
    await expect(insert(db.queries, 'e')).rejects.toThrow('writer stopped')
    await expect.poll(() => lost.map(({ message }) => message)).toEqual([expect.stringMatching('ended by itself')])
  })

  it('when it dies, ends the process, which says so', async () => {
    const fixture = fileURLToPath(new URL('./testing/writer-dies.ts', import.meta.url))
    const child = await promisify(execFile)(process.execPath, [fixture, await dataDir()]).catch((error) => error)
    expect(child.code).toBe(1)
    expect(child.stdout).toMatch(/refused: the database writer (failed|stopped)/)
    expect(child.stderr).toContain('the database writer ended by itself')
  })

  it('takes far more than its memory at once: what is too much waits', async () => {
    await exec('create table papers (n integer primary key, text text)')
    // Four times of what is sent to the writer before it has answered.
    const [count, mebibytes] = [16, 8]
    const write = (n: number) =>
      sql`insert into papers values (${n}, ${'x'.repeat(mebibytes * 1024 * 1024)})`.execute(db.queries)
    await Promise.all(Array.from({ length: count }, (_, n) => write(n)))
    const { rows } = await sql`select count(*) as count, sum(length(text)) as letters from papers`.execute(db.queries)
    expect(rows).toEqual([{ count, letters: count * mebibytes * 1024 * 1024 }])
  }, 120_000)
})

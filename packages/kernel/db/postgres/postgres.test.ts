import { inspect } from 'node:util'
import { describePostgres } from '@atoll/testkit/both-targets'
import { createPostgresDatabase, ownPostgres } from '@atoll/testkit/postgres'
import { silentLog } from '@atoll/testkit/silent-log'
import { sql } from 'kysely'
import { afterEach, expect, it } from 'vitest'
import type { Database } from '../database.ts'
import { migrate } from '../migrate.ts'
import type { Migration } from '../migration.ts'
import { openDatabase } from '../open.ts'
import { storageProblem } from '../storage-problem.ts'
import { connect } from './connection.ts'

const opened: Database[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((db) => db.close()))
})

async function open(url: string): Promise<Database> {
  const db = await openDatabase({ kind: 'postgres', url }, { log: silentLog })
  opened.push(db)
  return db
}

const text: Migration = {
  name: 'test/0001-words',
  async up(db) {
    await db.schema.createTable('words').addColumn('word', 'text').addColumn('n', 'bigint').execute()
  },
}

describePostgres('PostgreSQL', () => {
  it('migrates once when two nodes start at the same time', async () => {
    const url = await createPostgresDatabase()
    const runs: string[] = []
    const counted: Migration = {
      name: text.name,
      up(db) {
        runs.push('run')
        return text.up(db)
      },
    }
    const nodes = await Promise.all([open(url), open(url), open(url)])
    await Promise.all(nodes.map((node) => migrate(node, [counted])))
    expect(runs).toHaveLength(1)
  })

  it('lets a migration take as long as it takes, whatever a statement may', async () => {
    const url = await createPostgresDatabase()
    const db = await openDatabase({ kind: 'postgres', url, statementSeconds: 1 }, { log: silentLog })
    opened.push(db)
    const slow: Migration = {
      name: 'test/0001-slow',
      up: async (tx) => void (await sql`select pg_sleep(2.5)`.execute(tx)),
    }
    await migrate(db, [slow])
    expect((await sql`select name from migrations`.execute(db.queries)).rows).toEqual([{ name: slow.name }])
  })

  it('serves who reads a table that a migration has to wait for', async () => {
    const url = await createPostgresDatabase()
    const db = await open(url)
    await migrate(db, [text])
    const backup = await connect(url)
    await backup.query('begin')
    await backup.query('select * from words')
    const wider: Migration = {
      name: 'test/0002-wider',
      up: (tx) => tx.schema.alterTable('words').addColumn('more', 'text').execute(),
    }
    const migrating = migrate(db, [text, wider])
    const waits = async () =>
      (await sql`select 1 from pg_locks where relation = 'words'::regclass and not granted`.execute(db.queries)).rows
    await expect.poll(waits, { interval: 10 }).not.toEqual([])
    expect((await sql`select word from words`.execute(db.queries)).rows).toEqual([])
    await backup.query('commit')
    await backup.end()
    await migrating
    expect((await sql`select more from words`.execute(db.queries)).rows).toEqual([])
  })

  it('compares text by its bytes, whatever the language of the server', async () => {
    const db = await open(await createPostgresDatabase())
    await migrate(db, [text])
    await sql`insert into words (word) values ('b'), ('B'), ('a'), ('_')`.execute(db.queries)
    const { rows } = await sql<{ word: string }>`select word from words order by word`.execute(db.queries)
    expect(rows.map((row) => row.word)).toEqual(['B', '_', 'a', 'b'])
    const raw: Migration = {
      name: 'test/0002-raw',
      up: async (db) => void (await sql`create table t (x text)`.execute(db)),
    }
    await expect(migrate(db, [text, raw])).rejects.toThrow('t.x')
  })

  it('refuses an integer that a JavaScript number cannot hold', async () => {
    const db = await open(await createPostgresDatabase())
    const { rows } =
      await sql`select 9007199254740991::bigint as n, sum(x) as s from (values (2::bigint)) v(x)`.execute(db.queries)
    expect(rows).toEqual([{ n: Number.MAX_SAFE_INTEGER, s: 2 }])
    await expect(sql`select 9007199254740992::bigint as n`.execute(db.queries)).rejects.toThrow('too large')
    await db.ping()
  })

  it('tries a conflicting transaction again, and drops the effects of the failed try', async () => {
    const db = await open(await createPostgresDatabase())
    await migrate(db, [text])
    await sql`insert into words (word, n) values ('x', 0)`.execute(db.queries)
    const seen: number[] = []
    let tries = 0
    await db.transaction(async (tx) => {
      const number = ++tries
      db.afterCommit(tx, () => seen.push(number))
      await sql`select n from words`.execute(tx)
      if (number === 1) await sql`update words set n = n + 1`.execute(db.queries)
      await sql`update words set n = n + 10`.execute(tx)
    })
    expect({ tries, seen }).toEqual({ tries: 2, seen: [2] })
    expect((await sql`select n from words`.execute(db.queries)).rows).toEqual([{ n: 11 }])
  })

  it('gives up after many conflicts and tells the database’s own error', async () => {
    const db = await open(await createPostgresDatabase())
    let tries = 0
    const failing = db.transaction(async (tx) => {
      tries++
      await sql`do $$ begin raise exception 'conflict' using errcode = '40001'; end $$`.execute(tx)
    })
    await expect(failing).rejects.toThrow('conflict')
    expect(tries).toBe(20)
  })

  it('goes on after the server was restarted', async () => {
    const server = await ownPostgres()
    try {
      const db = await open(server.url)
      const broken = db.transaction(async (tx) => {
        await sql`select 1`.execute(tx)
        await server.restart()
        await sql`select 1`.execute(tx)
      })
      await expect(broken).rejects.toThrow()
      await db.ping()
      await db.close()
    } finally {
      await server.stop()
    }
  })

  it('gives up a server that hangs without closing anything, with its connections, and goes on when it wakes up', {
    timeout: 60_000,
  }, async () => {
    const server = await ownPostgres()
    try {
      const db = await openDatabase(
        { kind: 'postgres', url: server.url, poolSize: 2, statementSeconds: 1 },
        { log: silentLog },
      )
      await Promise.all([db.ping(), db.ping()])
      await server.frozen(async () => {
        const waiting = [db.ping(), db.transaction((tx) => sql`select 1`.execute(tx)), db.ping()]
        const ends = await Promise.allSettled(waiting)
        const problems = ends.map((end) => end.status === 'rejected' && storageProblem(end.reason))
        expect(problems).toEqual(['away', 'away', 'away'])
      })
      await db.ping()
      await db.close()
    } finally {
      await server.stop()
    }
  })

  it('says so when there is no server', async () => {
    const server = await ownPostgres()
    await server.stop()
    await expect(openDatabase({ kind: 'postgres', url: server.url }, { log: silentLog })).rejects.toThrow(
      'ECONNREFUSED',
    )
  })

  it('keeps a malformed address out of its error', async () => {
    const opening = openDatabase({ kind: 'postgres', url: 'postgres://me:secret@host:nonsense/' }, { log: silentLog })
    const error = await opening.catch((reason) => reason)
    expect(error.message).toContain('not a valid postgres:// url')
    expect(inspect(error)).not.toContain('secret')
  })

  it('gives a connection of its own for notifications', async () => {
    const url = await createPostgresDatabase()
    const db = await open(url)
    const listener = await connect(url)
    const heard = new Promise((resolve) => listener.once('notification', (message) => resolve(message.payload)))
    await listener.query('listen topic')
    await sql`select pg_notify('topic', 'hello')`.execute(db.queries)
    expect(await heard).toBe('hello')
    await listener.end()
  })
})

import { describePostgres } from '@atoll/testkit/both-targets'
import { createPostgresDatabase, ownPostgres } from '@atoll/testkit/postgres'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import type { Database } from '../db/database.ts'
import { openDatabase } from '../db/open.ts'
import { connect } from '../db/postgres/connection.ts'
import type { Log } from '../telemetry/log.ts'
import type { Events } from './events.ts'
import { createInProcessEvents } from './in-process.ts'
import { createPostgresEvents } from './postgres-notify.ts'

interface Node {
  db: Database
  events: Events
}

const open: Node[] = []

async function closeAll(): Promise<void> {
  for (const { db, events } of open.splice(0)) {
    await events.close()
    await db.close()
  }
}

afterEach(closeAll)

async function sqliteNode(log: Log): Promise<Node> {
  const db = await openDatabase({ kind: 'sqlite', folder: await tempDir() }, { log: silentLog })
  const node = { db, events: createInProcessEvents(db, log) }
  open.push(node)
  return node
}

async function postgresNode(url: string, log: Log): Promise<Node> {
  const db = await openDatabase({ kind: 'postgres', url, poolSize: 4 }, { log: silentLog })
  const node = { db, events: await createPostgresEvents(url, log) }
  open.push(node)
  return node
}

const publish = ({ db, events }: Node, topic: string, payload: unknown) =>
  db.transaction((tx) => events.publish(tx, topic, payload))

/** Collects what arrives, and says when an event that was sent last is there. */
function collect(node: Node, topic: string) {
  const seen: unknown[] = []
  const last = Promise.withResolvers<void>()
  const stop = node.events.subscribe(topic, (payload) => {
    if (payload === 'last') last.resolve()
    else seen.push(payload)
  })
  return { seen, last: last.promise, stop }
}

function sharedBehaviour(createNode: (log: Log) => Promise<Node>): void {
  it('delivers each event once, in order, as the JSON it was published as', async () => {
    const node = await createNode(silentLog)
    const { seen, last } = collect(node, 'files')
    const other = collect(node, 'other')
    await publish(node, 'files', { id: 'file-1', name: 'né\u0000"\n' })
    await publish(node, 'files', undefined)
    await node.db.transaction(async (tx) => {
      await node.events.publish(tx, 'files', 'twice')
      await node.events.publish(tx, 'files', 'twice')
    })
    await publish(node, 'files', 'last')
    await last
    expect(seen).toEqual([{ id: 'file-1', name: 'né\u0000"\n' }, null, 'twice', 'twice'])
    expect(other.seen).toEqual([])
  })

  it('says nothing of a transaction that was rolled back', async () => {
    const node = await createNode(silentLog)
    const { seen, last } = collect(node, 'files')
    const failing = node.db.transaction(async (tx) => {
      await node.events.publish(tx, 'files', 'never')
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await publish(node, 'files', 'last')
    await last
    expect(seen).toEqual([])
  })

  it('delivers nothing before the commit', async () => {
    const node = await createNode(silentLog)
    const { seen, last } = collect(node, 'files')
    await node.db.transaction(async (tx) => {
      await node.events.publish(tx, 'files', 'early')
      await sql`select 1`.execute(tx)
      expect(seen).toEqual([])
    })
    await publish(node, 'files', 'last')
    await last
    expect(seen).toEqual(['early'])
  })

  it('logs a listener that fails, and tells the others', async () => {
    const errors: object[] = []
    const node = await createNode({ ...silentLog, error: (fields) => errors.push(fields) })
    node.events.subscribe('files', () => {
      throw new Error('listener')
    })
    const { last } = collect(node, 'files')
    await publish(node, 'files', 'last')
    await last
    expect(errors).toEqual([expect.objectContaining({ topic: 'files' })])
  })

  it('stops calling a listener that unsubscribed', async () => {
    const node = await createNode(silentLog)
    const gone = collect(node, 'files')
    gone.stop()
    const { last } = collect(node, 'files')
    await publish(node, 'files', 'one')
    await publish(node, 'files', 'last')
    await last
    expect(gone.seen).toEqual([])
  })

  it('carries a payload of 4,000 bytes and refuses a larger one', async () => {
    const node = await createNode(silentLog)
    const { seen, last } = collect(node, 'files')
    const largest = '"'.repeat(1999)
    await publish(node, 'files', largest)
    await expect(publish(node, 'files', `${largest}a`)).rejects.toThrow('4001 bytes')
    await publish(node, 'files', 'last')
    await last
    expect(seen).toEqual([largest])
  })
}

describe('events in one process', () => {
  sharedBehaviour(sqliteNode)
})

describePostgres('events over PostgreSQL', () => {
  sharedBehaviour(async (log) => postgresNode(await createPostgresDatabase(), log))

  it('reach every node once, the publishing one too', async () => {
    const url = await createPostgresDatabase()
    const nodes = [await postgresNode(url, silentLog), await postgresNode(url, silentLog)] as const
    const heard = nodes.map((node) => collect(node, 'files'))
    await publish(nodes[0], 'files', 'from the first')
    await publish(nodes[1], 'files', 'from the second')
    await publish(nodes[0], 'files', 'last')
    await Promise.all(heard.map(({ last }) => last))
    for (const { seen } of heard) expect(seen).toEqual(['from the first', 'from the second'])
  })

  it('tells of a gap after the connection was lost, and goes on', async () => {
    const url = await createPostgresDatabase()
    const node = await postgresNode(url, silentLog)
    const { seen, last } = collect(node, 'files')
    for (let round = 1; round <= 3; round++) {
      const gap = new Promise<void>((resolve) => {
        const stop = node.events.onGap(() => {
          stop()
          resolve()
        })
      })
      expect(await endListener(url)).toBe(1)
      await gap
      await publish(node, 'files', round)
      // What is under way when the connection ends is what a gap is about: it must have arrived before.
      await expect.poll(() => seen).toContain(round)
    }
    await publish(node, 'files', 'last')
    await last
    expect(seen).toEqual([1, 2, 3])
  })

  it('keeps trying while the server is away', async () => {
    const server = await ownPostgres()
    try {
      const warnings: string[] = []
      const log = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) }
      const node = await postgresNode(server.url, log)
      const { seen, last } = collect(node, 'files')
      const gap = new Promise<void>((resolve) => node.events.onGap(resolve))
      await server.restart()
      await gap
      await publish(node, 'files', 'after')
      await publish(node, 'files', 'last')
      await last
      expect(seen).toEqual(['after'])
      expect(warnings[0]).toContain('Lost the connection')
    } finally {
      await closeAll()
      await server.stop()
    }
  })

  it('ignores notifications that are no events', async () => {
    const warnings: object[] = []
    const url = await createPostgresDatabase()
    const node = await postgresNode(url, { ...silentLog, warn: (fields) => warnings.push(fields) })
    const { seen, last } = collect(node, 'files')
    for (const text of ['', 'files', '{"topic":\nx', '{"topic":1}\n1', 'null\n1', '{"topic":"files"}\nno json']) {
      await sql`select pg_notify('atoll_events', ${text})`.execute(node.db.queries)
    }
    await publish(node, 'files', 'last')
    await last
    expect(seen).toEqual([])
    expect(warnings).toHaveLength(5)
  })
})

async function endListener(url: string): Promise<number | null> {
  const client = await connect(url)
  const result = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and query ilike 'listen %'`,
  )
  await client.end()
  return result.rowCount
}

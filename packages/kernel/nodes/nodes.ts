// The nodes that share a database: each says every few seconds that it lives, what it is, and how busy it is.
import { availableParallelism, hostname, loadavg } from 'node:os'
import type { Generated } from 'kysely'
import type { Clock } from '../clock/clock.ts'
import type { Database, Queries } from '../db/database.ts'
import type { Migration } from '../db/migration.ts'
import { type Lack, lookKeptMs } from '../readiness.ts'
import type { Log } from '../telemetry/log.ts'
import type { Figure } from '../telemetry/metrics.ts'

const beatMs = 5_000
/** So long without a word, and it is taken for dead. */
const silentMs = 20_000
const forgetMs = 24 * 3600 * 1000
const stopping = 'This node is being stopped.'

export interface NodeRow {
  id: string
  host: string
  version: string
  started_at: number
  seen_at: number
  /** Of the last word: why it is not ready, as its /readyz says; empty when it is. */
  problem: string
  /** Of the last word: what it is without, ready or not; empty when all is there. */
  lacking: string
  /** Of the machine's processors in the last minute; 1 is all of them. */
  load: number
  memory_bytes: number
  /** Where other nodes reach it; empty where they cannot. */
  address: string
}

declare module '../db/database.ts' {
  interface Tables {
    nodes: Omit<NodeRow, 'address' | 'lacking'> & { address: Generated<string>; lacking: Generated<string> }
  }
}

export const nodeMigrations: Migration[] = [
  {
    name: 'kernel/0011-nodes',
    async up(db) {
      await db.schema
        .createTable('nodes')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('host', 'text', (column) => column.notNull())
        .addColumn('version', 'text', (column) => column.notNull())
        .addColumn('started_at', 'bigint', (column) => column.notNull())
        .addColumn('seen_at', 'bigint', (column) => column.notNull())
        .addColumn('problem', 'text', (column) => column.notNull())
        .addColumn('load', 'double precision', (column) => column.notNull())
        .addColumn('memory_bytes', 'bigint', (column) => column.notNull())
        .execute()
    },
  },
  {
    name: 'kernel/0013-node-lacking',
    async up(db) {
      // Nodes of the version before say all of it in `problem`.
      await db.schema
        .alterTable('nodes')
        .addColumn('lacking', 'text', (column) => column.notNull().defaultTo(''))
        .execute()
    },
  },
]

interface MembershipNeeds {
  db: Database
  clock: Clock
  log: Log
  id: string
  version: string
  /** Undefined where nothing lacks. */
  look(): Promise<Lack | undefined>
  /** Where other nodes reach this one; empty: nowhere. */
  address(): string
  /** After each word. */
  told(): Promise<void>
}

/**
 * A node among the others: ready until it is drained, and on the list while it runs. Without the bucket it is ready all
 * the same, unless another node has it: nobody is served by a group whose nodes are all unready for want of files.
 */
export class Membership {
  readonly #needs: MembershipNeeds
  #isDraining = false
  #withoutBucketSince: number | undefined
  #timer: NodeJS.Timeout | undefined
  #last = Promise.resolve()

  constructor(needs: MembershipNeeds) {
    this.#needs = needs
  }

  async ready(): Promise<string | undefined> {
    if (this.#isDraining) return stopping
    const lack = await this.#needs.look()
    if (lack?.isOfBucket !== true) {
      this.#withoutBucketSince = undefined
      return lack?.reason
    }
    this.#withoutBucketSince ??= this.#needs.clock.now()
    return (await this.#isAnotherWhole(this.#withoutBucketSince)) ? lack.reason : undefined
  }

  /** What this node is without, ready or not. */
  async lacking(): Promise<string | undefined> {
    return (await this.#needs.look())?.reason
  }

  drain(): void {
    this.#isDraining = true
  }

  /** By its own word of after that moment: before, it may not have noticed yet what all are without. */
  async #isAnotherWhole(since: number): Promise<boolean> {
    const { db, id, clock } = this.#needs
    if (db.kind !== 'postgres') return false
    const from = Math.max(since + lookKeptMs, clock.now() - silentMs)
    const others = db.queries.selectFrom('nodes').select('id').where('id', '!=', id).where('seen_at', '>', from)
    return (await others.where('problem', '=', '').where('lacking', '=', '').executeTakeFirst()) !== undefined
  }

  /** An embedded database has no other nodes: there the list would only cost writes. */
  join(): void {
    if (this.#needs.db.kind !== 'postgres') return
    this.#last = this.#beat()
    this.#timer = setInterval(() => {
      this.#last = this.#beat()
    }, beatMs)
    this.#timer.unref()
  }

  async leave(): Promise<void> {
    if (this.#timer === undefined) return
    clearInterval(this.#timer)
    await this.#last
    const { db, id, log } = this.#needs
    await db.queries
      .deleteFrom('nodes')
      .where('id', '=', id)
      .execute()
      .catch((error) => log.warn({ err: error }, 'This node could not take itself off the list'))
  }

  async #beat(): Promise<void> {
    try {
      await this.#tell()
    } catch (error) {
      this.#needs.log.warn({ err: error }, 'This node could not say that it lives; it tries again')
    }
  }

  async #tell(): Promise<void> {
    const { db, clock, id, version, address, told } = this.#needs
    const changing = {
      address: address(),
      seen_at: clock.now(),
      problem: (await this.ready()) ?? '',
      lacking: (await this.lacking()) ?? '',
      load: (loadavg()[0] ?? 0) / availableParallelism(),
      memory_bytes: process.memoryUsage.rss(),
    }
    await db.queries
      .insertInto('nodes')
      .values({ id, host: hostname(), version, started_at: changing.seen_at, ...changing })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(changing))
      .execute()
    await db.queries
      .deleteFrom('nodes')
      .where('seen_at', '<', changing.seen_at - forgetMs)
      .execute()
    await told()
  }
}

export const listNodes = (queries: Queries): Promise<NodeRow[]> =>
  queries.selectFrom('nodes').selectAll().orderBy('host').orderBy('started_at').execute()

export const nodeState = ({ seen_at, problem }: NodeRow, now: number): 'ready' | 'unready' | 'silent' => {
  if (now - seen_at > silentMs) return 'silent'
  return problem === '' ? 'ready' : 'unready'
}

/** How many there are of each version, in each state. */
export async function nodeFigures(queries: Queries, now: number): Promise<Figure[]> {
  const figures = new Map<string, Figure>()
  for (const node of await listNodes(queries)) {
    const labels = { version: node.version, state: nodeState(node, now) }
    const key = JSON.stringify(labels)
    figures.set(key, { labels, value: (figures.get(key)?.value ?? 0) + 1 })
  }
  return [...figures.values()]
}

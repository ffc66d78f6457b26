// For the tests of jobs: some nodes on one database, each database in turn.
import { describeBothTargets } from '@atoll/testkit/both-targets'
import { silentLog } from '@atoll/testkit/silent-log'
import { afterEach } from 'vitest'
import { type Clock, systemClock } from '../../clock/clock.ts'
import type { Database } from '../../db/database.ts'
import { migrate } from '../../db/migrate.ts'
import type { Migration } from '../../db/migration.ts'
import { type DatabaseTarget, openDatabase } from '../../db/open.ts'
import { createInProcessEvents } from '../../events/in-process.ts'
import { createPostgresEvents } from '../../events/postgres-notify.ts'
import { createIds } from '../../ids/ids.ts'
import type { Jobs } from '../jobs.ts'
import { jobMigrations } from '../migrations.ts'
import type { Node } from '../node.ts'
import { createJobs } from '../queue.ts'

export interface TestNode extends Node {
  jobs: Jobs
}

/** Effects that jobs of the tests leave behind; nothing stops one from being written twice. */
const effectMigration: Migration = {
  name: 'test/0001-effects',
  async up(db) {
    await db.schema.createTable('effects').addColumn('job', 'text').addColumn('note', 'text').execute()
  },
}

declare module '../../db/database.ts' {
  interface Tables {
    effects: { job: string; note: string }
  }
}

export const clusterMigrations = [...jobMigrations, effectMigration]

export class TestCluster {
  readonly target: DatabaseTarget
  readonly #clock: Clock
  #nodes: TestNode[] = []
  /** SQLite belongs to one process: its nodes share the one handle. */
  #shared: Promise<Database> | undefined
  #databases: Database[] = []

  constructor(target: DatabaseTarget, clock: Clock) {
    this.target = target
    this.#clock = clock
  }

  /** `change` may put something between the node and its database. */
  async addNode(change: (db: Database) => Database = (db) => db): Promise<TestNode> {
    const opened = await this.#database()
    const db = change(opened)
    const events = await this.#events(opened)
    const clock = this.#clock
    const parts = { db, events, clock, ids: createIds(clock), log: silentLog, nodeId: `node-${this.#nodes.length + 1}` }
    const node = { ...parts, jobs: createJobs(parts) }
    this.#nodes.push(node)
    return node
  }

  /** Ends all nodes. New ones can be added: they find the database as it was left. */
  async close(): Promise<void> {
    await Promise.all(this.#nodes.map(({ jobs }) => jobs.stop(0)))
    await Promise.all(this.#nodes.map(({ events }) => events.close()))
    await Promise.all(this.#databases.map((db) => db.close()))
    this.#nodes = []
    this.#databases = []
    this.#shared = undefined
  }

  #database(): Promise<Database> {
    if (this.target.kind === 'postgres') return this.#open()
    this.#shared ??= this.#open()
    return this.#shared
  }

  async #open(): Promise<Database> {
    const db = await openDatabase(this.target, { log: silentLog })
    this.#databases.push(db)
    await migrate(db, clusterMigrations)
    return db
  }

  async #events(db: Database) {
    if (this.target.kind === 'postgres') return createPostgresEvents(this.target.url, silentLog)
    return this.#nodes[0]?.events ?? createInProcessEvents(db, silentLog)
  }
}

export type CreateCluster = (clock?: Clock) => Promise<TestCluster>

export function describeClusters(name: string, tests: (createCluster: CreateCluster) => void): void {
  describeBothTargets(name, (newTarget) => tests(creator(newTarget)))
}

function creator(target: () => Promise<DatabaseTarget>): CreateCluster {
  const clusters: TestCluster[] = []
  afterEach(async () => {
    for (const cluster of clusters.splice(0)) await cluster.close()
  })
  return async (clock = systemClock) => {
    const cluster = new TestCluster(await target(), clock)
    clusters.push(cluster)
    return cluster
  }
}

// What a node says of itself to the others is what its /readyz says.
import { describePostgres, postgresTarget } from '@atoll/testkit/both-targets'
import { silentLog } from '@atoll/testkit/silent-log'
import { expect, it, onTestFinished } from 'vitest'
import type { Database } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import { kernelMigrations } from '../kernel-migrations.ts'
import { type Lack, lookKeptMs } from '../readiness.ts'
import { listNodes, Membership, nodeFigures, nodeState } from './nodes.ts'

const lack: Lack = { reason: 'The bucket of blobs does not answer.', isOfBucket: true }

describePostgres('the list of nodes', () => {
  const begin = async (): Promise<Database> => {
    const db = await openDatabase(await postgresTarget(), { log: silentLog })
    onTestFinished(() => db.close())
    await migrate(db, kernelMigrations)
    return db
  }

  const join = (db: Database, id: string, look: () => Lack | undefined, now = Date.now) => {
    const told = Promise.withResolvers<void>()
    const node = new Membership({
      ...{ db, clock: { now }, log: silentLog, id, version: '1' },
      ...{ look: async () => look(), address: () => '', told: async () => told.resolve() },
    })
    node.join()
    onTestFinished(() => node.leave())
    return { node, told: told.promise }
  }

  const states = async (db: Database) =>
    Object.fromEntries(
      (await listNodes(db.queries)).map((row) => [row.id, [nodeState(row, Date.now()), row.problem, row.lacking]]),
    )

  it('has a node ready whose bucket nobody reaches, with what it lacks', async () => {
    const db = await begin()
    const alone = join(db, 'alone', () => lack)
    await alone.told
    expect(await alone.node.ready()).toBeUndefined()
    expect(await states(db)).toEqual({ alone: ['ready', '', lack.reason] })
    expect(await nodeFigures(db.queries, Date.now())).toEqual([{ labels: { version: '1', state: 'ready' }, value: 1 }])
  })

  it('has it unready once another has the bucket, and takes no node for whole that is ready without', async () => {
    const db = await begin()
    const later = () => Date.now() + 2 * lookKeptMs
    const first = join(db, 'first', () => lack)
    await first.told
    const other = join(db, 'other', () => lack, later)
    await other.told
    expect(await first.node.ready()).toBeUndefined()
    const whole = join(db, 'whole', () => undefined, later)
    await whole.told
    expect(await first.node.ready()).toBe(lack.reason)
    await first.node.leave()
    first.node.join()
    await expect.poll(async () => (await states(db)).first).toEqual(['unready', lack.reason, lack.reason])
    expect((await states(db)).whole).toEqual(['ready', '', ''])
  })
})

// For the tests of jobs: steps that many of them take.
import { setImmediate as turn } from 'node:timers/promises'
import type { EnqueueOptions, JobKind, Place } from '../jobs.ts'
import type { TestNode } from './cluster.ts'
import type { TestPayload } from './kind.ts'

type Queue = Pick<TestNode, 'db' | 'jobs'>

export const add = ({ db, jobs }: Queue, kind: JobKind<TestPayload>, n = 1, options?: EnqueueOptions) =>
  db.transaction((tx) => jobs.enqueue(tx, kind, { n }, options))

export const rows = ({ db }: Pick<TestNode, 'db'>) => db.queries.selectFrom('jobs').selectAll().orderBy('id').execute()

/** Waits until the table says so; every wait is for something under way. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await turn()
}

export const ended = (node: TestNode) => until(async () => (await rows(node)).length === 0)

/** So many in one transaction, numbered from `from` on. */
export const addAll = (
  { db, jobs }: Queue,
  kind: JobKind<TestPayload>,
  count: number,
  place: (n: number) => Place,
  from = 0,
) =>
  db.transaction(async (tx) => {
    const work = Array.from({ length: count }, (_, n) => ({ payload: { n: from + n }, ...place(from + n) }))
    for (let at = 0; at < count; at += mostAtOnce) await jobs.enqueueAll(tx, kind, work.slice(at, at + mostAtOnce))
  })

/** A statement has no room for more. */
const mostAtOnce = 500

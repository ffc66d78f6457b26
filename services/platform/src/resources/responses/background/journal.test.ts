import { setImmediate } from 'node:timers/promises'
import type { Database } from '@atoll/kernel/db/database'
import { expect, it } from 'vitest'
import { describePlatformOnSqlite, type TestPlatform } from '../../../testing/describe-platform.ts'
import { ScriptedChatModel } from '../../../testing/scripted-chat-model.ts'
import { type KeptItem, newItemId } from '../../conversations/items/kept-item.ts'
import { Items } from '../../conversations/items/service.ts'
import { findAny } from '../response-rows.ts'
import type { ResponseSettings } from '../settings.ts'
import { noProgress } from '../state.ts'
import { eventsAfter } from '../stream/event-rows.ts'
import { BackgroundJournal } from './journal.ts'
import { toldSoFar } from './told.ts'

class Killed extends Error {}

/** Makes so many commits and no more, as if it were killed. */
function dyingAfter(db: Database, commits: number): Pick<Database, 'transaction'> {
  let left = commits
  return {
    transaction: async (work) => {
      if (left-- <= 0) throw new Killed()
      await setImmediate()
      return db.transaction(work)
    },
  }
}

interface Asked {
  platform: TestPlatform
  id: string
}

/** A response that waits for its job, which never begins. */
async function newResponse(platform: TestPlatform): Promise<Asked> {
  const response = await fetch(`${platform.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${platform.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o-mini', input: 'Hi', background: true }),
  })
  return { platform, id: ((await response.json()) as { id: string }).id }
}

async function newJournal({ platform, id }: Asked, commits: number): Promise<BackgroundJournal> {
  const { db, clock, ids } = platform.kernel
  const row = await findAny(db.queries, id)
  if (row === undefined) throw new Error('There is no such response.')
  const head = { ...row, settings: JSON.parse(row.settings) as ResponseSettings }
  const { sequence } = await toldSoFar(db.queries, id)
  const job = { attempt: 1, confirm: async () => undefined, finish: async () => undefined }
  const hub = { announce: async () => undefined, tell: () => undefined }
  const items = new Items({ db, clock, ids })
  const parts = { db: dyingAfter(db, commits), clock, items, hub, job, onLost: () => undefined }
  return new BackgroundJournal(parts, { head, output: [], sequence })
}

const call = (id: string): KeptItem => ({
  item: { id, type: 'function_call', status: 'completed', name: 'look_up', arguments: '{}', call_id: `call_${id}` },
})

/** Two calls, one after the other, and the end. `rest`: time for what was told to be written. */
async function work(journal: BackgroundJournal, calls: readonly KeptItem[], rest: () => Promise<unknown>) {
  journal.tell({ type: 'response.in_progress' })
  for (const [output_index, { item }] of calls.entries()) {
    journal.tell({ type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } })
    await rest()
    journal.tell({ type: 'response.function_call_arguments.delta', output_index, delta: '{}' })
    journal.tell({ type: 'response.output_item.done', output_index, item })
    await rest()
  }
  await journal.end('completed', { progress: noProgress, added: calls })
}

function wasKilled(error: unknown): false {
  if (error instanceof Killed) return false
  throw error
}

/** What the database has: what was told, and what is true. */
async function found({ platform, id }: Asked) {
  const { db, clock, ids } = platform.kernel
  const events = await eventsAfter(db.queries, id, -1)
  const output = await new Items({ db, clock, ids }).output(id)
  return {
    types: events.map(({ type }) => type),
    done: events.flatMap(({ type, item }) =>
      type === 'response.output_item.done' ? [(item as KeptItem['item']).id] : [],
    ),
    kept: output.map(({ item }) => item.id),
    status: (await findAny(db.queries, id))?.status,
  }
}

describePlatformOnSqlite('the journal of a response in the background', (start) => {
  it('tells that an item is done, and that the response is, in the commit that keeps it: after whichever commit it is killed', async () => {
    const platform = await start({ runtimes: new ScriptedChatModel([]).runtimes, withoutJobs: true })
    const rests = [async () => undefined, () => setImmediate(), (journal: BackgroundJournal) => journal.settle()]
    for (const rest of rests) {
      let isOver = false
      for (let commits = 0; !isOver; commits++) {
        const asked = await newResponse(platform)
        const journal = await newJournal(asked, commits)
        const calls = [1, 2].map(() => call(newItemId(platform.kernel, 'function_call')))
        isOver = await work(journal, calls, () => rest(journal)).then(() => true, wasKilled)
        const { types, done, kept, status } = await found(asked)
        expect(done).toEqual(kept)
        expect([types.includes('response.completed'), status === 'completed']).toEqual([isOver, isOver])
      }
    }
  })
})

// Makes the words of chunks that an older version stored, from their texts: a few at a time, behind everything else.
// Until then a search reads them from the texts itself.
import { setTimeout } from 'node:timers/promises'
import type { Database, Queries } from '../db/database.ts'
import type { Log } from '../telemetry/log.ts'
import { bagOf } from './bag.ts'

/** Some milliseconds of this thread, then others have their turn. */
const chunksAtOnce = 16
const pauseMs = 2

/** Of the only row. */
const onlyId = 1

const selectRenewal = (queries: Queries) =>
  queries.selectFrom('vector_renewals').selectAll().where('id', '=', onlyId).executeTakeFirst()

export class Renewal {
  readonly #db: Database
  readonly #log: Log
  #running: Promise<void> | undefined
  #closed = false

  constructor(db: Database, log: Log) {
    this.#db = db
    this.#log = log
  }

  start(): void {
    this.#running ??= this.#renewAll().catch((error) => {
      this.#log.warn({ err: error }, 'words of older chunks could not be renewed; the next start goes on with it')
    })
  }

  /** Resolves when there is nothing left to renew. */
  async idle(): Promise<void> {
    await this.#running
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.idle()
  }

  async #renewAll(): Promise<void> {
    while (!this.#closed && (await selectRenewal(this.#db.queries))) {
      await this.#renewSome()
      await setTimeout(pauseMs)
    }
  }

  #renewSome(): Promise<void> {
    return this.#db.transaction(async (tx) => {
      const renewal = await selectRenewal(tx)
      if (renewal === undefined) return
      const chunks = await tx
        .selectFrom('vector_chunks')
        .select(['id', 'text', 'heading'])
        .where('id', '>', renewal.done)
        .where('id', '<=', renewal.last)
        .orderBy('id')
        .limit(chunksAtOnce)
        .execute()
      const bags = chunks.map(({ id, text, heading }) => ({ id, bag: bagOf(text, heading) }))
      if (bags.length > 0) {
        await tx
          .insertInto('vector_bags')
          .values(bags)
          .onConflict((conflict) => conflict.column('id').doUpdateSet((eb) => ({ bag: eb.ref('excluded.bag') })))
          .execute()
      }
      const done = chunks.length === chunksAtOnce ? chunks.at(-1)?.id : undefined
      if (done === undefined) await tx.deleteFrom('vector_renewals').where('id', '=', onlyId).execute()
      else await tx.updateTable('vector_renewals').set({ done }).where('id', '=', onlyId).execute()
    })
  }
}

// Removes owners and collections. In the caller's transaction only names go: from its commit on nothing is found any
// more. The chunks, of which there may be many, are deleted in the background, also after a crash.
import type { Database, Tx } from '../db/database.ts'
import { together } from '../db/together.ts'
import type { Log } from '../telemetry/log.ts'
import { deleteBags } from './bag-rows.ts'
import { type CollectionRow, selectCollections, selectOwners } from './rows.ts'

/** One transaction's worth: others want to write in between. */
const chunksAtOnce = 32

/** What one statement takes. */
const ownersAtOnce = 400

export async function removeOwnerRows(tx: Tx, collection: string, owners: readonly string[]): Promise<void> {
  for (let start = 0; start < owners.length; start += ownersAtOnce) {
    await removeSome(tx, collection, owners.slice(start, start + ownersAtOnce))
  }
}

async function removeSome(tx: Tx, collection: string, owners: readonly string[]): Promise<void> {
  const rows = await selectOwners(tx, collection, owners)
  const [first] = rows
  if (first === undefined) return
  const ids = rows.map(({ id }) => id)
  const chunks = rows.reduce((sum, row) => sum + row.chunks, 0)
  const removals = ids.map((owner) => ({ owner }))
  await together([
    tx.insertInto('vector_removals').values(removals).execute(),
    tx.deleteFrom('vector_owners').where('id', 'in', ids).execute(),
    tx
      .updateTable('vector_collections')
      .set((eb) => ({ chunks: eb('chunks', '-', chunks) }))
      .where('id', '=', first.collection)
      .execute(),
  ])
}

export async function removeCollectionRow(tx: Tx, name: string): Promise<CollectionRow | undefined> {
  const [row] = await selectCollections(tx, [name])
  if (!row) return undefined
  await tx
    .insertInto('vector_removals')
    .columns(['owner'])
    .expression(tx.selectFrom('vector_owners').select('id').where('collection', '=', row.id))
    .execute()
  await tx.deleteFrom('vector_owners').where('collection', '=', row.id).execute()
  await tx.deleteFrom('vector_collections').where('id', '=', row.id).execute()
  return row
}

export class Removals {
  readonly #db: Database
  readonly #log: Log
  #running: Promise<void> | undefined
  #again = false
  #closed = false

  constructor(db: Database, log: Log) {
    this.#db = db
    this.#log = log
  }

  /** Deletes what is to be deleted, behind the caller's back. */
  start(): void {
    this.#again = true
    if (this.#closed) return
    this.#running ??= this.#deleteAll()
      .catch((error) => this.#log.warn({ err: error }, 'removed chunks could not be deleted; it will be tried again'))
      .finally(() => {
        this.#running = undefined
      })
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.#running
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.idle()
  }

  async #deleteAll(): Promise<void> {
    while (this.#again) {
      this.#again = false
      for (let owner = await this.#next(); owner !== undefined; owner = await this.#next()) {
        while (!this.#closed && (await this.#deleteSome(owner))) {}
        if (this.#closed) return
      }
    }
  }

  async #next(): Promise<number | undefined> {
    const row = await this.#db.queries.selectFrom('vector_removals').select('owner').limit(1).executeTakeFirst()
    return row?.owner
  }

  /** Whether there may be more. */
  async #deleteSome(owner: number): Promise<boolean> {
    const deleted = await this.#db.transaction(async (tx) => {
      const rows = await tx
        .selectFrom('vector_chunks')
        .select('id')
        .where('owner', '=', owner)
        .limit(chunksAtOnce)
        .execute()
      const ids = rows.map(({ id }) => id)
      if (ids.length > 0) {
        await deleteBags(tx, ids)
        await tx.deleteFrom('vector_chunks').where('id', 'in', ids).execute()
      }
      if (ids.length < chunksAtOnce) await tx.deleteFrom('vector_removals').where('owner', '=', owner).execute()
      return ids.length
    })
    return deleted === chunksAtOnce
  }
}

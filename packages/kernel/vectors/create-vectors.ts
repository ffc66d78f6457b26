// The vectors port over the database: rows are the truth, an index thread and its files make searching fast.
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../db/database.ts'
import type { Ids } from '../ids/ids.ts'
import type { NodeGroup } from '../nodes/group.ts'
import type { Log } from '../telemetry/log.ts'
import type { Figure } from '../telemetry/metrics.ts'
import { addChunks, withWords } from './add.ts'
import { DealtShelves } from './dealt-shelves.ts'
import type { ShelfState } from './index-protocol.ts'
import { Pgvector } from './pgvector/pgvector.ts'
import { Removals, removeCollectionRow, removeOwnerRows } from './remove.ts'
import { Renewal } from './renew.ts'
import { chunksAfter, endReplacing, replaceVectors } from './replace.ts'
import { selectCollections, selectKeys, selectOwner, selectTexts } from './rows.ts'
import { searchVectors } from './search.ts'
import { filesOf, type ShelfSettings, Shelves, toleratedRemoved } from './shelves.ts'
import type { Vectors } from './vectors.ts'
import { WordCutter } from './word-cutter.ts'

const megabyte = 1024 * 1024
const keyLetters = 16

const usualSettings: ShelfSettings = {
  indexFrom: 5_000,
  maxBytes: 1_024 * megabyte,
  maxWaitingBytes: 512 * megabyte,
}

export interface VectorsNeeds {
  db: Database
  ids: Ids
  log: Log
  /** For the indexes, which can be built again from the rows. */
  folder: string
  settings?: Partial<ShelfSettings>
  /** Of the database: large collections are then searched by pgvector where it is there. */
  pgvectorUrl?: string | undefined
  /** Of nodes on the same database, among which large collections are dealt. */
  group?: NodeGroup | undefined
}

/** What those who run the house need besides the port. */
export interface OperatedVectors extends Vectors {
  /** Begins to delete what was removed before a crash, and files that nothing refers to, and to renew old words. */
  start(): void
  /** Resolves when the collection's index is built and written, as far as it gets one, and removals and
   * renewals are done. */
  settle(collection: string): Promise<ShelfState | undefined>
  /** To be told now and then: gives back what belongs to other nodes by now. */
  release(): void
  figures(): Figure[]
  pgvectorFigures(): Figure[]
}

export function createVectors(needs: VectorsNeeds): OperatedVectors {
  const { db, ids, log, folder } = needs
  const { shelves, dealt, database } = openIndexes(needs)
  const searched = dealt ?? shelves
  const removals = new Removals(db, log)
  const renewal = new Renewal(db, log)
  const cutter = new WordCutter()
  let cleaning: Promise<void> | undefined
  return {
    withWords: (chunks) => withWords(cutter, chunks),
    async add(tx, collection, owner, chunks) {
      const newKey = () => ids.secret(keyLetters)
      const grown = await addChunks(tx, newKey, { collection, owner }, chunks)
      if (grown) db.afterCommit(tx, () => searched.grown(grown))
    },
    countOf: async (collection, owner) => (await selectOwner(db.queries, collection, owner))?.chunks ?? 0,
    async textsOf(collection, owner, limit) {
      const row = await selectOwner(db.queries, collection, owner)
      return row === undefined ? [] : selectTexts(db.queries, row.id, limit)
    },
    async removeOwners(tx, collection, owners) {
      await removeOwnerRows(tx, collection, owners)
      db.afterCommit(tx, () => removals.start())
    },
    async removeCollection(tx, collection) {
      const row = await removeCollectionRow(tx, collection)
      if (!row) return
      db.afterCommit(tx, () => {
        shelves.forget(row.key)
        removals.start()
      })
    },
    sizeOf: async (name) => (await selectCollections(db.queries, [name]))[0]?.chunks ?? 0,
    chunksAfter: (collection, number, limit) => chunksAfter(db.queries, collection, number, limit),
    replace: replaceVectors,
    async endReplacing(tx, collection, last) {
      const ended = await endReplacing(tx, collection, last, ids.secret(keyLetters))
      const oldKey = ended?.before?.key
      if (oldKey !== undefined) db.afterCommit(tx, () => shelves.forget(oldKey))
      return ended !== undefined
    },
    search: (search) => searchVectors({ queries: db.queries, shelves: searched }, search),
    release: () => dealt?.release(),
    figures: () => dealt?.figures() ?? [],
    pgvectorFigures: () => database?.figures() ?? [],
    start() {
      removals.start()
      renewal.start()
      database?.start()
      cleaning ??= removeStrayFiles(db, folder).catch((error) =>
        log.warn({ err: error }, 'files of removed collections could not be deleted'),
      )
    },
    async settle(name) {
      await removals.idle()
      await renewal.idle()
      const [collection] = await selectCollections(db.queries, [name])
      if (collection !== undefined) await database?.settle(collection)
      return collection && shelves.settle(collection)
    },
    async close() {
      await cutter.close()
      await cleaning
      await removals.close()
      await renewal.close()
      await shelves.close()
      await database?.close()
    },
  }
}

function openIndexes({ db, log, folder, settings, pgvectorUrl, group }: VectorsNeeds) {
  const allSettings = { ...usualSettings, ...settings }
  const { indexFrom } = allSettings
  const database =
    pgvectorUrl === undefined ? undefined : new Pgvector({ db, url: pgvectorUrl, log, indexFrom, toleratedRemoved })
  const shelves = new Shelves({ db, log, folder, settings: allSettings, database })
  return { shelves, database, dealt: group && new DealtShelves({ shelves, group, log, dealFrom: indexFrom }) }
}

/** Left by a crash half-way through writing, or by collections that another node removed. */
async function removeStrayFiles(db: Database, folder: string): Promise<void> {
  const files = await readdir(folder).catch(() => [])
  if (files.length === 0) return
  const known = new Set((await selectKeys(db.queries)).flatMap((key) => filesOf(folder, key)))
  const stray = files.map((file) => join(folder, file)).filter((path) => !known.has(path))
  for (const path of stray) await rm(path, { force: true })
}

// Vectors on a database of a test's own.
import type { Database } from '@atoll/kernel/db/database'
import { migrate } from '@atoll/kernel/db/migrate'
import { type DatabaseTarget, openDatabase } from '@atoll/kernel/db/open'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterEach } from 'vitest'
import { systemClock } from '../../clock/clock.ts'
import { createIds } from '../../ids/ids.ts'
import { kernelMigrations } from '../../kernel-migrations.ts'
import type { NodeGroup } from '../../nodes/group.ts'
import { createVectors, type OperatedVectors } from '../create-vectors.ts'
import { vectorMigrations } from '../migrations.ts'
import type { ShelfSettings } from '../shelves.ts'
import type { VectorChunk, VectorHit } from '../vectors.ts'

export interface Store {
  db: Database
  vectors: OperatedVectors
  folder: string
  add(collection: string, owner: string, chunks: readonly VectorChunk[]): Promise<void>
  removeOwner(collection: string, owner: string): Promise<void>
  removeCollection(collection: string): Promise<void>
  /** By meaning alone. */
  near(collection: string, vector: Float32Array, limit?: number): Promise<VectorHit[]>
  close(): Promise<void>
}

export interface StoreOptions {
  settings?: Partial<ShelfSettings>
  /** Of another store: the indexes it left are found. */
  folder?: string
  /** Of the nodes among which large collections are dealt. */
  group?: NodeGroup
  /** Searched by pgvector. */
  pgvectorUrl?: string
}

export type OpenStore = (target: DatabaseTarget, options?: StoreOptions) => Promise<Store>

/** Closed after the test, unless the test has. */
export function storeOpener(): OpenStore {
  const opened: Store[] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()))
  })
  return async (target, options = {}) => {
    const store = await openStore(target, options)
    opened.push(store)
    return store
  }
}

async function openStore(target: DatabaseTarget, options: StoreOptions): Promise<Store> {
  const { settings = {}, folder, group, pgvectorUrl } = options
  const db = await openDatabase(target, { log: silentLog })
  await migrate(db, group === undefined ? vectorMigrations : kernelMigrations)
  const where = folder ?? (await tempDir())
  const needs = { db, ids: createIds(systemClock), log: silentLog, folder: where }
  const vectors = createVectors({ ...needs, settings, group, pgvectorUrl })
  let closed: Promise<void> | undefined
  return {
    db,
    vectors,
    folder: where,
    add: (collection, owner, chunks) => db.transaction((tx) => vectors.add(tx, collection, owner, chunks)),
    removeOwner: (collection, owner) => db.transaction((tx) => vectors.removeOwners(tx, collection, [owner])),
    removeCollection: (collection) => db.transaction((tx) => vectors.removeCollection(tx, collection)),
    near: (collection, vector, limit = 10) => vectors.search({ collections: [collection], vector, text: '', limit }),
    close() {
      closed ??= vectors.close().then(() => db.close())
      return closed
    },
  }
}

// Vector stores put together.
import { availableParallelism } from 'node:os'
import type { Documents } from '@atoll/documents/documents'
import type { Kernel } from '@atoll/kernel/kernel'
import type { Inference } from '../../inference/inference.ts'
import type { Files } from '../files/service.ts'
import { Editions } from './editions.ts'
import { Embedder, type EmbeddingChoice } from './embedder.ts'
import { Cancellation } from './file-batches/cancellation.ts'
import { fileBatchRoutes } from './file-batches/routes.ts'
import { FileBatches } from './file-batches/service.ts'
import { Attachments } from './files/attachments.ts'
import { vectorStoreFileRoutes } from './files/routes.ts'
import { VectorStoreFiles } from './files/service.ts'
import { Ingestion } from './ingestion/ingestion.ts'
import { vectorStoreRoutes } from './routes.ts'
import { Search } from './search.ts'
import { VectorStores } from './service.ts'
import { Upgrades } from './upgrades.ts'
import { Upkeep } from './upkeep.ts'

interface Parts {
  kernel: Kernel
  inference: Inference
  files: Files
  documents: Documents
  embedding: EmbeddingChoice
}

/** Files that are read at the same moment, of all projects together: on every core, at low priority. */
export const readersAtOnce = Math.min(16, Math.max(4, availableParallelism()))

export function createVectorStores({ kernel, inference, files, documents, embedding }: Parts) {
  const { db, events, jobs, ids, clock, log, vectors } = kernel
  const embedder = new Embedder(inference)
  const editions = new Editions(inference)
  const attachments = new Attachments({ db, jobs, events, vectors, files, ids, clock })
  const ingestion = new Ingestion({
    db,
    jobs,
    events,
    log,
    vectors,
    attachments,
    reader: { documents, files, embedder },
  })
  const cancellation = new Cancellation({ db, jobs, attachments })
  const upkeep = new Upkeep({ db, jobs, clock, attachments })
  const search = new Search({ db, vectors, files, attachments, embedder, editions })
  const upgrades = new Upgrades({ db, jobs, log, vectors, attachments, embedder, editions })
  const stores = new VectorStores({ db, events, ids, clock, attachments, ingestion, search, editions, embedding })
  const storeFiles = new VectorStoreFiles({ db, stores, attachments, vectors })
  const batches = new FileBatches({ db, ids, clock, stores, files: storeFiles, cancellation })
  const routes = [...vectorStoreRoutes(stores), ...vectorStoreFileRoutes(storeFiles), ...fileBatchRoutes(batches)]
  const close = (): void => {
    ingestion.close()
    upgrades.close()
  }
  return { stores, files: storeFiles, batches, upkeep, upgrades, routes, close }
}

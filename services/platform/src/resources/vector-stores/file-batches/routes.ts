import { pageQuery } from '@atoll/kernel/http/query'
import { defineRoute } from '../../../callers.ts'
import { listOf } from '../../../conventions/lists.ts'
import { tellPollInterval } from '../../../conventions/poll-after.ts'
import { FileStatus, VectorStoreFileObject } from '../files/schema.ts'
import { VectorStoreParams } from '../schema.ts'
import { CreateFileBatch, FileBatchObject, FileBatchParams } from './schema.ts'
import type { FileBatches } from './service.ts'

/** Programs write either. */
const spellings = ['file_batches', 'files_batches']

export const fileBatchRoutes = (batches: FileBatches) =>
  spellings.flatMap((spelling) => routesAt(`/v1/vector_stores/:vector_store_id/${spelling}`, batches))

const routesAt = (path: string, batches: FileBatches) => [
  defineRoute({
    method: 'POST',
    path,
    auth: 'project',
    summary: 'Add a batch of files to a vector store',
    params: VectorStoreParams,
    body: CreateFileBatch,
    // Two thousand files with all the attributes they may have.
    takesLargeJson: true,
    response: FileBatchObject,
    handler: ({ caller, params, body }) => batches.create(caller, params.vector_store_id, body),
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/:batch_id`,
    auth: 'project',
    summary: 'Retrieve a batch of files',
    params: FileBatchParams,
    response: FileBatchObject,
    handler: ({ caller, params, setHeader }) => {
      tellPollInterval(setHeader)
      return batches.get(caller, params.vector_store_id, params.batch_id)
    },
  }),
  defineRoute({
    method: 'POST',
    path: `${path}/:batch_id/cancel`,
    auth: 'project',
    summary: 'Cancel a batch of files',
    params: FileBatchParams,
    response: FileBatchObject,
    handler: ({ caller, params }) => batches.cancel(caller, params.vector_store_id, params.batch_id),
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/:batch_id/files`,
    auth: 'project',
    summary: 'List the files of a batch',
    params: FileBatchParams,
    query: pageQuery({ maxLimit: 100, defaultLimit: 20 }).extend({ filter: FileStatus.optional() }),
    response: listOf(VectorStoreFileObject),
    handler: ({ caller, params, query }) => batches.files(caller, params.vector_store_id, params.batch_id, query),
  }),
]

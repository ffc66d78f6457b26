import { pageQuery } from '@atoll/kernel/http/query'
import { defineRoute } from '../../../callers.ts'
import { listOf } from '../../../conventions/lists.ts'
import { tellPollInterval } from '../../../conventions/poll-after.ts'
import { VectorStoreParams } from '../schema.ts'
import {
  CreateVectorStoreFile,
  FileContentPage,
  FileStatus,
  UpdateVectorStoreFile,
  VectorStoreFileDeleted,
  VectorStoreFileObject,
  VectorStoreFileParams,
} from './schema.ts'
import type { VectorStoreFiles } from './service.ts'

export const vectorStoreFileRoutes = (files: VectorStoreFiles) => [
  defineRoute({
    method: 'POST',
    path: '/v1/vector_stores/:vector_store_id/files',
    auth: 'project',
    summary: 'Add a file to a vector store',
    params: VectorStoreParams,
    body: CreateVectorStoreFile,
    response: VectorStoreFileObject,
    handler: ({ caller, params, body }) => files.create(caller, params.vector_store_id, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/vector_stores/:vector_store_id/files',
    auth: 'project',
    summary: 'List the files of a vector store',
    params: VectorStoreParams,
    query: pageQuery({ maxLimit: 100, defaultLimit: 20 }).extend({ filter: FileStatus.optional() }),
    response: listOf(VectorStoreFileObject),
    handler: ({ caller, params, query }) => files.list(caller, params.vector_store_id, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/vector_stores/:vector_store_id/files/:file_id',
    auth: 'project',
    summary: 'Retrieve a file of a vector store',
    params: VectorStoreFileParams,
    response: VectorStoreFileObject,
    handler: ({ caller, params, setHeader }) => {
      tellPollInterval(setHeader)
      return files.get(caller, params.vector_store_id, params.file_id)
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/vector_stores/:vector_store_id/files/:file_id/content',
    auth: 'project',
    summary: 'Read what a vector store has of a file',
    params: VectorStoreFileParams,
    response: FileContentPage,
    handler: ({ caller, params }) => files.content(caller, params.vector_store_id, params.file_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/vector_stores/:vector_store_id/files/:file_id',
    auth: 'project',
    summary: 'Change the attributes of a file of a vector store',
    params: VectorStoreFileParams,
    body: UpdateVectorStoreFile,
    response: VectorStoreFileObject,
    handler: ({ caller, params, body }) => files.update(caller, params.vector_store_id, params.file_id, body),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/vector_stores/:vector_store_id/files/:file_id',
    auth: 'project',
    summary: 'Remove a file from a vector store',
    params: VectorStoreFileParams,
    response: VectorStoreFileDeleted,
    handler: async ({ caller, params: { vector_store_id, file_id } }) => {
      await files.delete(caller, vector_store_id, file_id)
      return { id: file_id, object: 'vector_store.file.deleted' as const, deleted: true as const }
    },
  }),
]

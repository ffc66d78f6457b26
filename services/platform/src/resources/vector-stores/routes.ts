import { pageQuery } from '@atoll/kernel/http/query'
import { defineRoute } from '../../callers.ts'
import { listOf } from '../../conventions/lists.ts'
import {
  CreateVectorStore,
  SearchResultsPage,
  SearchVectorStore,
  UpdateVectorStore,
  VectorStoreDeleted,
  VectorStoreObject,
  VectorStoreParams,
} from './schema.ts'
import { searchPage } from './search-page.ts'
import type { VectorStores } from './service.ts'

/** Programs send the header of the assistants interface or not: these paths are the same with and without it. */
export const vectorStoreRoutes = (stores: VectorStores) => [
  defineRoute({
    method: 'POST',
    path: '/v1/vector_stores',
    auth: 'project',
    summary: 'Create a vector store',
    body: CreateVectorStore,
    response: VectorStoreObject,
    handler: ({ caller, body }) => stores.create(caller, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/vector_stores',
    auth: 'project',
    summary: 'List vector stores',
    query: pageQuery({ maxLimit: 100, defaultLimit: 20 }),
    response: listOf(VectorStoreObject),
    handler: ({ caller, query }) => stores.list(caller, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/vector_stores/:vector_store_id',
    auth: 'project',
    summary: 'Retrieve a vector store',
    params: VectorStoreParams,
    response: VectorStoreObject,
    handler: ({ caller, params }) => stores.get(caller, params.vector_store_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/vector_stores/:vector_store_id',
    auth: 'project',
    summary: 'Modify a vector store',
    params: VectorStoreParams,
    body: UpdateVectorStore,
    response: VectorStoreObject,
    handler: ({ caller, params, body }) => stores.update(caller, params.vector_store_id, body),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/vector_stores/:vector_store_id',
    auth: 'project',
    summary: 'Delete a vector store',
    params: VectorStoreParams,
    response: VectorStoreDeleted,
    handler: async ({ caller, params: { vector_store_id: id } }) => {
      await stores.delete(caller, id)
      return { id, object: 'vector_store.deleted' as const, deleted: true as const }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/vector_stores/:vector_store_id/search',
    auth: 'project',
    summary: 'Search a vector store',
    params: VectorStoreParams,
    body: SearchVectorStore,
    response: SearchResultsPage,
    handler: ({ caller, params, body, signal }) => searchPage(stores, caller, params.vector_store_id, body, signal),
  }),
]

import { pageQuery } from '@atoll/kernel/http/query'
import { defineRoute } from '../../callers.ts'
import { listOf } from '../../conventions/lists.ts'
import { BatchObject, BatchParams, CreateBatch } from './schema.ts'
import type { Batches } from './service.ts'

export const batchRoutes = (batches: Batches) => [
  defineRoute({
    method: 'POST',
    path: '/v1/batches',
    auth: 'project',
    summary: 'Create a batch',
    body: CreateBatch,
    response: BatchObject,
    handler: ({ caller, body }) => batches.create(caller, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/batches',
    auth: 'project',
    summary: 'List batches',
    query: pageQuery({ maxLimit: 100, defaultLimit: 20 }),
    response: listOf(BatchObject),
    handler: ({ caller, query }) => batches.list(caller, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/batches/:batch_id',
    auth: 'project',
    summary: 'Retrieve a batch',
    params: BatchParams,
    response: BatchObject,
    handler: ({ caller, params }) => batches.get(caller, params.batch_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/batches/:batch_id/cancel',
    auth: 'project',
    summary: 'Cancel a batch',
    params: BatchParams,
    response: BatchObject,
    handler: ({ caller, params }) => batches.cancel(caller, params.batch_id),
  }),
]

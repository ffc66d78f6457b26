import { defineRoute } from '../../callers.ts'
import { ModelDeleted, ModelList, ModelObject, ModelParams } from './schema.ts'
import type { Models } from './service.ts'

export const modelRoutes = (models: Models) => [
  defineRoute({
    method: 'GET',
    path: '/v1/models',
    auth: 'project',
    summary: 'List models',
    response: ModelList,
    handler: ({ caller }) => models.list(caller),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/models/:model',
    auth: 'project',
    summary: 'Retrieve a model',
    params: ModelParams,
    response: ModelObject,
    handler: ({ caller, params }) => models.get(caller, params.model),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/models/:model',
    auth: 'project',
    summary: 'Delete a fine-tuned model',
    params: ModelParams,
    response: ModelDeleted,
    handler: async ({ caller, params: { model } }) => {
      await models.delete(caller, model)
      return { id: model, object: 'model' as const, deleted: true as const }
    },
  }),
]

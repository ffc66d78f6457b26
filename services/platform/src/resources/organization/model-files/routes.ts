import { defineRoute } from '../../../callers.ts'
import { ModelFileList, ModelFileObject, ModelFileParams } from './schema.ts'
import type { ModelFiles } from './service.ts'

export const modelFileRoutes = (files: ModelFiles) => [
  defineRoute({
    method: 'GET',
    path: '/v1/organization/model_files',
    auth: 'admin',
    summary: 'List files of models that are here, and those that can be had',
    response: ModelFileList,
    handler: () => files.list(),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/organization/model_files/:model_file',
    auth: 'admin',
    summary: 'Retrieve a file of a model, with how far its download is',
    params: ModelFileParams,
    response: ModelFileObject,
    handler: ({ params }) => files.get(params.model_file),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/organization/model_files/:model_file/pull',
    auth: 'admin',
    summary: 'Begin to download a model of the list, or go on',
    params: ModelFileParams,
    response: ModelFileObject,
    handler: ({ params }) => files.pull(params.model_file),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/organization/model_files/:model_file/cancel',
    auth: 'admin',
    summary: 'Stop a download; what is here stays for the next time',
    params: ModelFileParams,
    response: ModelFileObject,
    handler: ({ params }) => files.cancel(params.model_file),
  }),
]

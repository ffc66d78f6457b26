import { empty } from '@atoll/kernel/http/reply'
import { multipart } from '@atoll/kernel/http/route'
import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import * as errors from '../../errors.ts'
import { moduleObject } from './module-record.ts'
import { ActionUid, ModuleObject, ModuleParams } from './schema.ts'
import type { Modules } from './service.ts'

const maxPackageBytes = 256 * 1024 * 1024

export const moduleRoutes = (modules: Modules) => [
  defineRoute({
    method: 'GET',
    path: '/v1/modules',
    auth: 'view_cluster_modules',
    summary: 'List modules',
    response: z.array(ModuleObject),
    handler: async () => (await modules.list()).map(moduleObject),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/modules/:uid',
    auth: 'view_cluster_modules',
    summary: 'Get a module',
    params: ModuleParams,
    response: ModuleObject,
    handler: async ({ params }) => {
      const found = await modules.get(params.uid)
      if (found === undefined) throw errors.noSuchModule(params.uid)
      return moduleObject(found)
    },
  }),
  ...(['/v1/modules', '/v2/modules'] as const).map((path) =>
    defineRoute({
      method: 'POST',
      path,
      auth: 'update_cluster',
      summary: 'Upload a module: a zip file with module.json and the shared object',
      body: multipart({ fields: z.object({}), file: 'module', maxFileBytes: maxPackageBytes }),
      response: ModuleObject.extend(ActionUid.shape),
      handler: async ({ caller, body }) => {
        const { module, action } = await modules.upload(body.file.blob, caller.email)
        return { ...moduleObject(module), action_uid: action.uid }
      },
    }),
  ),
  defineRoute({
    method: 'DELETE',
    path: '/v1/modules/:uid',
    auth: 'update_cluster',
    summary: 'Delete a module',
    params: ModuleParams,
    response: 'bytes',
    handler: async ({ caller, params }) => {
      await modules.remove(params.uid, caller.email)
      return empty(200)
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v2/modules/:uid',
    auth: 'update_cluster',
    summary: 'Delete a module',
    params: ModuleParams,
    response: ActionUid,
    handler: async ({ caller, params }) => ({ action_uid: (await modules.remove(params.uid, caller.email)).uid }),
  }),
]

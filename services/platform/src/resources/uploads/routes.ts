import { safeFilename } from '@atoll/kernel/http/form/filename'
import { multipart } from '@atoll/kernel/http/route'
import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import { CompleteUpload, CreateUpload, maxPartBytes, UploadObject, UploadParams, UploadPart } from './schema.ts'
import type { Uploads } from './service.ts'

export const uploadRoutes = (uploads: Uploads) => [
  defineRoute({
    method: 'POST',
    path: '/v1/uploads',
    auth: 'project',
    summary: 'Create an upload',
    body: CreateUpload,
    response: UploadObject,
    // Named as a file of a form would be.
    handler: ({ caller, body }) => uploads.create(caller, { ...body, filename: safeFilename(body.filename) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/uploads/:upload_id/parts',
    auth: 'project',
    summary: 'Add a part to an upload',
    params: UploadParams,
    body: multipart({ fields: z.strictObject({}), file: 'data', maxFileBytes: maxPartBytes }),
    response: UploadPart,
    handler: ({ caller, params, body }) => uploads.addPart(caller, params.upload_id, body.file.blob),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/uploads/:upload_id/complete',
    auth: 'project',
    summary: 'Complete an upload',
    params: UploadParams,
    body: CompleteUpload,
    response: UploadObject,
    handler: ({ caller, params, body, signal }) => uploads.complete(caller, params.upload_id, body, signal),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/uploads/:upload_id/cancel',
    auth: 'project',
    summary: 'Cancel an upload',
    params: UploadParams,
    response: UploadObject,
    handler: ({ caller, params }) => uploads.cancel(caller, params.upload_id),
  }),
]

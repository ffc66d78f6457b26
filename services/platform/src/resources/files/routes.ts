import { rangedBytes } from '@atoll/kernel/http/answer/range'
import { pageQuery } from '@atoll/kernel/http/query'
import { multipart } from '@atoll/kernel/http/route'
import { defineRoute } from '../../callers.ts'
import { listOf } from '../../conventions/lists.ts'
import { kernelErrors } from '../../errors/errors.ts'
import { CreateFileFields, FileDeleted, FileObject, FileParams, FilePurpose, maxFileBytes } from './schema.ts'
import type { Files } from './service.ts'

export const fileRoutes = (files: Files) => [
  defineRoute({
    method: 'POST',
    path: '/v1/files',
    auth: 'project',
    summary: 'Upload a file',
    body: multipart({ fields: CreateFileFields, file: 'file', maxFileBytes }),
    response: FileObject,
    handler: ({ caller, body: { fields, file } }) =>
      files.create(caller, fields.purpose, file, fields['expires_after[seconds]']),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/files',
    auth: 'project',
    summary: 'List files',
    query: pageQuery({ maxLimit: 10_000, defaultLimit: 10_000 }).extend({ purpose: FilePurpose.optional() }),
    response: listOf(FileObject),
    handler: ({ caller, query: { purpose, ...page } }) => files.list(caller, purpose, page),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/files/:file_id',
    auth: 'project',
    summary: 'Retrieve a file',
    params: FileParams,
    response: FileObject,
    handler: ({ caller, params }) => files.get(caller, params.file_id),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/files/:file_id',
    auth: 'project',
    summary: 'Delete a file',
    params: FileParams,
    response: FileDeleted,
    handler: async ({ caller, params: { file_id } }) => {
      await files.delete(caller, file_id)
      return { id: file_id, object: 'file' as const, deleted: true as const }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/files/:file_id/content',
    auth: 'project',
    summary: "Download a file's content",
    params: FileParams,
    response: 'bytes',
    handler: async ({ caller, params, method, headers }) => {
      const { file, read, link } = await files.content(caller, params.file_id)
      const whole = { size: file.bytes, filename: file.filename, read, method, headers, errors: kernelErrors }
      // A page of the console may not ask another host.
      return rangedBytes({ ...whole, link: headers.authorization === undefined ? undefined : link })
    },
  }),
]

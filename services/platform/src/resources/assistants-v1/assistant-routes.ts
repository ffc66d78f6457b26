// Assistants and their files.
import { pageQuery } from '@atoll/kernel/http/query'
import { defineRoute } from '../../callers.ts'
import { listOf } from '../../conventions/lists.ts'
import { AssistantDeleted, AssistantParams } from '../assistants/schema.ts'
import {
  AssistantFileDeleted,
  AssistantFileObject,
  AssistantFileParams,
  AssistantV1,
  CreateAssistantFile,
  CreateAssistantV1,
  UpdateAssistantV1,
} from './schema.ts'
import type { AssistantsV1 } from './service.ts'

const common = { variant: 'v1', auth: 'project' } as const
const assistantPath = '/v1/assistants/:assistant_id'
const filesPath = `${assistantPath}/files`
const page = pageQuery({ maxLimit: 100, defaultLimit: 20 })

export const assistantRoutesV1 = (assistants: AssistantsV1) => [
  defineRoute({
    ...common,
    method: 'POST',
    path: '/v1/assistants',
    summary: 'Create an assistant',
    body: CreateAssistantV1,
    takesLargeJson: true,
    response: AssistantV1,
    handler: ({ caller, body }) => assistants.create(caller, body),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/v1/assistants',
    summary: 'List assistants',
    query: page,
    response: listOf(AssistantV1),
    handler: ({ caller, query }) => assistants.list(caller, query),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: assistantPath,
    summary: 'Retrieve an assistant',
    params: AssistantParams,
    response: AssistantV1,
    handler: ({ caller, params }) => assistants.get(caller, params.assistant_id),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: assistantPath,
    summary: 'Modify an assistant',
    params: AssistantParams,
    body: UpdateAssistantV1,
    takesLargeJson: true,
    response: AssistantV1,
    handler: ({ caller, params, body }) => assistants.update(caller, params.assistant_id, body),
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: assistantPath,
    summary: 'Delete an assistant',
    params: AssistantParams,
    response: AssistantDeleted,
    handler: ({ caller, params }) => assistants.delete(caller, params.assistant_id),
  }),
]

export const assistantFileRoutes = (assistants: AssistantsV1) => [
  defineRoute({
    ...common,
    method: 'POST',
    path: filesPath,
    summary: 'Attach a file to an assistant',
    params: AssistantParams,
    body: CreateAssistantFile,
    response: AssistantFileObject,
    handler: ({ caller, params, body }) => assistants.attachFile(caller, params.assistant_id, body),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: filesPath,
    summary: 'List the files of an assistant',
    params: AssistantParams,
    query: page,
    response: listOf(AssistantFileObject),
    handler: ({ caller, params, query }) => assistants.listFiles(caller, params.assistant_id, query),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: `${filesPath}/:file_id`,
    summary: 'Retrieve a file of an assistant',
    params: AssistantFileParams,
    response: AssistantFileObject,
    handler: ({ caller, params }) => assistants.getFile(caller, params.assistant_id, params.file_id),
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: `${filesPath}/:file_id`,
    summary: 'Detach a file from an assistant',
    params: AssistantFileParams,
    response: AssistantFileDeleted,
    handler: ({ caller, params }) => assistants.detachFile(caller, params.assistant_id, params.file_id),
  }),
]

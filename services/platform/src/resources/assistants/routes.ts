import { pageQuery } from '@atoll/kernel/http/query'
import { defineRoute } from '../../callers.ts'
import { listOf } from '../../conventions/lists.ts'
import { AssistantDeleted, AssistantObject, AssistantParams, CreateAssistant, UpdateAssistant } from './schema.ts'
import type { Assistants } from './service.ts'

export const assistantRoutes = (assistants: Assistants) => [
  defineRoute({
    method: 'POST',
    path: '/v1/assistants',
    variant: 'v2',
    auth: 'project',
    summary: 'Create an assistant',
    body: CreateAssistant,
    takesLargeJson: true,
    response: AssistantObject,
    handler: ({ caller, body }) => assistants.create(caller, body),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/assistants',
    variant: 'v2',
    auth: 'project',
    summary: 'List assistants',
    query: pageQuery({ maxLimit: 100, defaultLimit: 20 }),
    response: listOf(AssistantObject),
    handler: ({ caller, query }) => assistants.list(caller, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/assistants/:assistant_id',
    variant: 'v2',
    auth: 'project',
    summary: 'Retrieve an assistant',
    params: AssistantParams,
    response: AssistantObject,
    handler: ({ caller, params }) => assistants.get(caller, params.assistant_id),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/assistants/:assistant_id',
    variant: 'v2',
    auth: 'project',
    summary: 'Modify an assistant',
    params: AssistantParams,
    body: UpdateAssistant,
    takesLargeJson: true,
    response: AssistantObject,
    handler: ({ caller, params, body }) => assistants.update(caller, params.assistant_id, body),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/assistants/:assistant_id',
    variant: 'v2',
    auth: 'project',
    summary: 'Delete an assistant',
    params: AssistantParams,
    response: AssistantDeleted,
    handler: ({ caller, params }) => assistants.delete(caller, params.assistant_id),
  }),
]

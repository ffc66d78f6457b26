import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import * as errors from '../../errors.ts'
import { actionLists, actionObject, actionObjectV2 } from './action-objects.ts'
import { ActionLists, ActionObject, ActionObjectV2, ActionParams } from './schema.ts'
import type { Action, Actions } from './service.ts'

async function find(actions: Actions, uid: string): Promise<Action> {
  const action = await actions.get(uid)
  if (action === undefined) throw errors.noSuchAction(uid)
  return action
}

export const actionRoutes = (actions: Actions) => [
  defineRoute({
    method: 'GET',
    path: '/v1/actions',
    auth: 'view_status_of_cluster_action',
    summary: 'List actions and state machines, the newest first',
    response: ActionLists,
    handler: async () => actionLists(await actions.list()),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/actions/:uid',
    auth: 'view_status_of_cluster_action',
    summary: 'Get an action',
    params: ActionParams,
    response: ActionObject,
    handler: async ({ params }) => actionObject(await find(actions, params.uid)),
  }),
  defineRoute({
    method: 'GET',
    path: '/v2/actions',
    auth: 'view_status_of_cluster_action',
    summary: 'List actions of all kinds, the newest first',
    response: z.array(ActionObjectV2),
    handler: async () => (await actions.list()).map(actionObjectV2),
  }),
  defineRoute({
    method: 'GET',
    path: '/v2/actions/:uid',
    auth: 'view_status_of_cluster_action',
    summary: 'Get an action',
    params: ActionParams,
    response: ActionObjectV2,
    handler: async ({ params }) => actionObjectV2(await find(actions, params.uid)),
  }),
]

import { defineRoute } from '../callers.ts'
import { ActionObject, ActionParams } from '../resources/actions/schema.ts'
import { answerUpgrade } from './answer.ts'
import { BdbParams, UpgradeAnswer, UpgradeDatabase } from './schema.ts'
import type { Upgrades } from './upgrades.ts'

export const databaseUpgradeRoutes = (upgrades: Upgrades) => [
  defineRoute({
    method: 'POST',
    path: '/v1/bdbs/:uid/upgrade',
    auth: 'update_bdb_with_action',
    summary: 'Upgrades a database: its modules, or starts its shards anew.',
    params: BdbParams,
    body: UpgradeDatabase,
    response: UpgradeAnswer,
    handler: (exchange) => answerUpgrade(upgrades, exchange, exchange.body),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/actions/:uid/cancel',
    auth: 'cancel_cluster_action',
    summary: 'Takes an upgrade back while its old version is still there.',
    params: ActionParams,
    response: ActionObject,
    handler: async ({ params }) => {
      await upgrades.cancel(params.uid)
      return upgrades.actionObject(params.uid)
    },
  }),
]

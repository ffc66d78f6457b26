import { defineRoute } from '../callers.ts'
import { answerUpgrade } from './answer.ts'
import { BdbParams, UpgradeAnswer, UpgradeModules } from './schema.ts'
import type { Upgrades } from './upgrades.ts'

/** The interface was deprecated with release 7.8.2 (MOD-039): the day of that, and a year in which it will not go. */
const deprecatedSince = Date.UTC(2024, 10, 20) / 1000
const sunset = new Date(Date.UTC(2029, 0, 1)).toUTCString()

export const moduleUpgradeRoutes = (upgrades: Upgrades) =>
  ['/v1/modules/upgrade/bdb/:uid', '/v1/bdbs/:uid/modules/upgrade'].map((path) =>
    defineRoute({
      method: 'POST',
      path,
      auth: 'edit_bdb_module', // MOD-023
      summary: 'Upgrades modules of a database.',
      params: BdbParams,
      body: UpgradeModules,
      response: UpgradeAnswer,
      handler: (exchange) => {
        const successor = `/v1/bdbs/${exchange.params.uid}/upgrade` // MOD-040
        exchange.setHeader('deprecation', `@${deprecatedSince}`)
        exchange.setHeader('sunset', sunset)
        exchange.setHeader('link', `<${successor}>; rel="successor-version"`)
        return answerUpgrade(upgrades, exchange, exchange.body)
      },
    }),
  )

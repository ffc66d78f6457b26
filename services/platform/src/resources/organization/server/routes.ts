import { defineRoute } from '../../../callers.ts'
import type { ServerFacts } from './facts.ts'
import { ServerChecks, ServerSettings } from './schema.ts'

/** There where somebody knows the facts: a platform inside a test has neither a configuration file nor a doctor. */
export function serverRoutes({ settings, checks }: ServerFacts) {
  // The machine is looked at once for all who ask meanwhile.
  let looking: ReturnType<typeof checks> | undefined
  const look = () => {
    looking ??= checks().finally(() => {
      looking = undefined
    })
    return looking
  }
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/organization/server/settings',
      auth: 'admin',
      summary: 'List the settings of the server with their sources, without secrets',
      response: ServerSettings,
      handler: () => ({
        object: 'list' as const,
        data: settings().map((one) => ({ object: 'organization.server.setting' as const, ...one })),
      }),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/organization/server/checks',
      auth: 'admin',
      summary: 'Tell what the machine of the server has and lacks, as ./atoll doctor does',
      response: ServerChecks,
      handler: async () => ({
        object: 'list' as const,
        data: (await look()).map((one) => ({ object: 'organization.server.check' as const, ...one })),
      }),
    }),
  ]
}

// The main session's last recipient: where `last` leads.
import { z } from 'zod'
import { channelKinds } from '../../actions.ts'
import { defineRoute } from '../../callers.ts'
import * as errors from '../../errors.ts'
import type { AdminParts } from '../parts.ts'

const Target = z.strictObject({ channel: z.enum(channelKinds), to: z.string().trim().min(1).max(1_000) })
const Route = z.object({ last: Target.nullable(), effective: Target.nullable() })

export function routeRoutes({ kernel: { db }, outbox }: Pick<AdminParts, 'kernel' | 'outbox'>) {
  const shown = async () => ({
    last: (await outbox.route()) ?? null,
    effective: (await outbox.target({ channel: 'last' })) ?? null,
  })
  return [
    defineRoute({
      method: 'GET',
      path: '/hooks-admin/route',
      auth: 'admin',
      summary: 'Show where replies to "last" go',
      response: Route,
      handler: shown,
    }),
    defineRoute({
      method: 'PUT',
      path: '/hooks-admin/route',
      auth: 'admin',
      summary: 'Set where replies to "last" go',
      body: Target,
      response: Route,
      handler: async ({ body: target }) => {
        if (!outbox.isConfigured(target.channel)) {
          throw errors.invalidBody(`channel ${target.channel} is not configured: set channels.${target.channel} first`)
        }
        const problem = outbox.problemOf(target)
        if (problem !== undefined) throw errors.invalidBody(`to: ${problem}`)
        await db.transaction((tx) => outbox.remember(tx, target))
        return shown()
      },
    }),
  ]
}

import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import * as errors from '../../errors.ts'
import type { DeliveryDesk } from '../../ports.ts'
import type { AdminMappings } from '../parts.ts'

const Which = z.strictObject({ mapping: z.string().min(1).max(200).optional() }).default({})
const Paused = z.object({ ok: z.literal(true), all: z.boolean(), mappings: z.array(z.string()) })

export function pauseRoutes(desk: DeliveryDesk, mappings: AdminMappings) {
  const paused = async () => ({ ok: true as const, ...(await desk.paused()) })
  return [
    defineRoute({
      method: 'POST',
      path: '/hooks-admin/pause',
      auth: 'admin',
      summary: 'Accept deliveries but run none, of all or of one mapping',
      body: Which,
      response: Paused,
      handler: async ({ body: { mapping } }) => {
        if (mapping !== undefined && !mappings.all.some(({ id }) => id === mapping)) throw errors.noSuchMapping(mapping)
        await desk.pause(mapping)
        return paused()
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/hooks-admin/resume',
      auth: 'admin',
      summary: 'Run what has waited, of all or of one mapping',
      body: Which,
      response: Paused,
      handler: async ({ body: { mapping } }) => {
        // Also of a mapping that is not configured any more.
        await desk.resume(mapping)
        return paused()
      },
    }),
  ]
}

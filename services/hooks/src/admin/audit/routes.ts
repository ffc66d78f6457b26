import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import { Limit, Moment, wholeNumber } from '../schema.ts'
import type { Audit } from './audit.ts'

const Entry = z.object({
  seq: z.int(),
  at: Moment,
  address: z.string(),
  method: z.string(),
  path: z.string(),
  status: z.int(),
  requestId: z.string(),
  details: z.unknown().optional(),
})

export const auditRoutes = (audit: Audit) => [
  defineRoute({
    method: 'GET',
    path: '/hooks-admin/audit',
    auth: 'admin',
    summary: 'List what was changed, the newest first',
    query: z.object({ limit: Limit, offset: wholeNumber(0, 1_000_000_000).default(0) }),
    response: z.object({ entries: z.array(Entry) }),
    handler: async ({ query }) => ({ entries: await audit.list(query) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/hooks-admin/audit/verify',
    auth: 'admin',
    summary: 'Check that no entry was changed, added or taken out',
    response: z.object({
      intact: z.boolean(),
      entries: z.int(),
      /** Of the newest entry: kept elsewhere, it shows whether the newest ones were taken away. */
      hash: z.string().optional(),
      brokenAt: z.int().optional(),
      problem: z.string().optional(),
    }),
    handler: () => audit.verify(),
  }),
]

import { z } from 'zod'
import { defineRoute } from '../callers.ts'
import { wholeNumber } from '../resources/query/schema.ts'
import type { Audit } from './audit.ts'

const Entry = z.object({
  seq: z.int(),
  at: z.string(),
  user: z.string(),
  role: z.string().optional(),
  address: z.string().optional(),
  method: z.string(),
  path: z.string(),
  status: z.int(),
  request_id: z.string().optional(),
  details: z.unknown().optional(),
})

export const auditRoutes = (audit: Audit) => [
  defineRoute({
    method: 'GET',
    path: '/v1/audit',
    auth: 'view_audit',
    summary: 'List who did what, the newest first',
    query: z.object({ limit: wholeNumber(1, 1_000).default(100), offset: wholeNumber(0).default(0) }),
    response: z.array(Entry),
    handler: async ({ query }) => {
      const entries = await audit.list(query)
      return entries.map(({ requestId, ...entry }) => ({ ...entry, ...(requestId ? { request_id: requestId } : {}) }))
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/audit/verify',
    auth: 'view_audit',
    summary: 'Check that no entry was changed, added or taken out',
    response: z.object({ intact: z.boolean(), entries: z.int(), broken_at: z.int().optional() }),
    handler: async () => {
      const report = await audit.verify()
      const { intact, entries } = report
      return report.intact ? { intact, entries } : { intact, entries, broken_at: report.brokenAt }
    },
  }),
]

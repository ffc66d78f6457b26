import { z } from 'zod'
import { defineRoute } from '../../callers.ts'
import * as errors from '../../errors.ts'
import type { AdminParts } from '../parts.ts'
import { IdParams } from '../schema.ts'
import { dryRun } from './dry-run.ts'
import { shownMapping } from './present.ts'
import { ShownMapping, TestRequest, TestResult } from './schema.ts'

export const mappingRoutes = (parts: Pick<AdminParts, 'kernel' | 'mappings' | 'agent' | 'desk'>) => [
  defineRoute({
    method: 'GET',
    path: '/hooks-admin/mappings',
    auth: 'admin',
    summary: 'List mappings in the order they are tried',
    response: z.object({ mappings: z.array(ShownMapping) }),
    handler: async () => {
      const paused = await parts.desk.paused()
      const isPaused = (id: string) => paused.all || paused.mappings.includes(id)
      return { mappings: parts.mappings.all.map((mapping) => shownMapping(mapping, isPaused(mapping.id))) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/hooks-admin/mappings/:id/test',
    auth: 'admin',
    summary: 'Show what a mapping would make of a request; nothing is run',
    params: IdParams,
    body: TestRequest,
    response: TestResult,
    handler: ({ params: { id }, body }) => {
      const mapping = parts.mappings.all.find((each) => each.id === id)
      if (mapping === undefined) throw errors.noSuchMapping(id)
      return dryRun(parts, mapping, body)
    },
  }),
]

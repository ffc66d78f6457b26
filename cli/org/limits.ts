// Rate limits of a project from the command line.

import type { RateLimitObject } from '@atoll/platform/resources/organization/projects/rate-limits/schema'
import { CommandProblem, telling } from '../command-problem.ts'
import { show } from '../table.ts'
import { findProject } from './lookup.ts'
import type { ListFlags } from './people.ts'
import { type ServerFlags, serverFrom } from './server-from.ts'

const rowOf = (limit: RateLimitObject): string[] => [
  limit.model,
  String(limit.max_requests_per_1_minute),
  String(limit.max_tokens_per_1_minute),
  String(limit.max_images_per_1_minute),
  String(limit.max_requests_per_1_day ?? '-'),
]

const titles = ['MODEL', 'REQUESTS/MIN', 'TOKENS/MIN', 'IMAGES/MIN', 'REQUESTS/DAY']

export const listLimits = (which: string, flags: ListFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags, process.env)
    const { id } = await findProject(server, which)
    const limits = await server.all<RateLimitObject>(`/organization/projects/${id}/rate_limits`)
    show(limits, { ...flags, titles, row: rowOf, none: 'There are no models.' })
  })

const fields = {
  requests: 'max_requests_per_1_minute',
  tokens: 'max_tokens_per_1_minute',
  images: 'max_images_per_1_minute',
  requestsPerDay: 'max_requests_per_1_day',
} as const

type LimitFlags = ListFlags & Partial<Record<keyof typeof fields, string>>

export const setLimit = (which: string, model: string, flags: LimitFlags): Promise<void> =>
  telling(async () => {
    const server = serverFrom(flags as ServerFlags, process.env)
    const body: Record<string, number> = {}
    for (const [flag, field] of Object.entries(fields)) {
      const text = flags[flag as keyof typeof fields]
      if (text === undefined) continue
      if (!/^\d{1,12}$/.test(text)) throw new CommandProblem(`${text} is not a whole number.`)
      body[field] = Number(text)
    }
    if (Object.keys(body).length === 0) {
      throw new CommandProblem('say at least one limit: --requests, --tokens, --images or --requests-per-day.')
    }
    const { id } = await findProject(server, which)
    const path = `/organization/projects/${id}/rate_limits/${encodeURIComponent(`rl-${model}`)}`
    const limit = await server.send<RateLimitObject>(path, { method: 'POST', body })
    show([limit], { ...flags, titles, row: rowOf, none: '' })
  })

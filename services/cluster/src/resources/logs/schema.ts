import { z } from 'zod'
import { moment, wholeNumber } from '../query/schema.ts'

export const severities = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const
export type Severity = (typeof severities)[number]

export const LogQuery = z.object({
  stime: moment.optional(),
  etime: moment.optional(),
  order: z.enum(['asc', 'desc']).default('desc'),
  limit: wholeNumber(1, 10_000).default(1_000),
  offset: wholeNumber(0).default(0),
})

export const EventObject = z.object({
  time: z.string(),
  type: z.string(),
  severity: z.enum(severities),
  originator: z.string(),
  object_name: z.string().optional(),
  message: z.string(),
})
export type EventObject = z.output<typeof EventObject>

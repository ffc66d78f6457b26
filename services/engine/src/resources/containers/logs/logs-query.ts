// What a reader of logs may ask for.
import { z } from 'zod'
import { flag } from '../../query/schema.ts'
import { moment, tail } from './schema.ts'

export const LogsQuery = z.object({
  stdout: flag,
  stderr: flag,
  follow: flag,
  timestamps: flag,
  details: flag,
  since: moment,
  until: moment,
  tail,
})
export type LogsQuery = z.output<typeof LogsQuery>

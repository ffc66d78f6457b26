// What a client that attaches may ask for.
import { z } from 'zod'
import { flag } from '../../query/schema.ts'
import { detachKeys } from './schema.ts'

export const AttachQuery = z.object({ logs: flag, stream: flag, stdin: flag, stdout: flag, stderr: flag, detachKeys })
export type AttachQuery = z.output<typeof AttachQuery>

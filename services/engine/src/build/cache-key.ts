// The name of a step's result: everything that it depends on, and nothing else.
import { createHash } from 'node:crypto'

/** Steps whose meaning changes get another number: what was kept before is not what they would make. */
const generation = 1

export const cacheKey = (kind: string, inputs: unknown): string =>
  `sha256:${createHash('sha256')
    .update(JSON.stringify([generation, kind, inputs]))
    .digest('hex')}`

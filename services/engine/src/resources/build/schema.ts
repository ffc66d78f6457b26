// What a build may be asked for, and what is kept of builds.
import { z } from 'zod'
import { filters, flag, flagOn, maybeNumber } from '../query/schema.ts'

const text = z.string().default('')
const many = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((value) => (value === undefined ? [] : [value].flat().filter(Boolean)))

/** JSON in a parameter; nothing, `''` and `null` mean that nothing was said. */
const json = <T extends z.ZodType>(form: T, nothing: z.output<T>) =>
  z
    .string()
    .optional()
    .transform((written, context): z.output<T> => {
      if (written === undefined || written === '') return nothing
      const read = form.nullable().safeParse(parsed(written))
      if (read.success) return (read.data ?? nothing) as z.output<T>
      context.addIssue({ code: 'custom', message: read.error.issues[0]?.message ?? 'it cannot be read' })
      return z.NEVER
    })

function parsed(written: string): unknown {
  try {
    return JSON.parse(written)
  } catch {
    return undefined
  }
}

const Ulimit = z.object({ Name: z.string(), Soft: z.number().int(), Hard: z.number().int() })

const Output = z.object({ Type: z.string(), Attrs: z.record(z.string(), z.string()).nullish() })

export const BuildQuery = z.object({
  dockerfile: text,
  t: many,
  extrahosts: many,
  remote: text,
  q: flag,
  nocache: flag,
  cachefrom: json(z.array(z.string()), []),
  pull: flag,
  rm: flagOn,
  forcerm: flag,
  memory: maybeNumber,
  memswap: maybeNumber,
  cpushares: maybeNumber,
  cpusetcpus: text,
  cpusetmems: text,
  cpuperiod: maybeNumber,
  cpuquota: maybeNumber,
  cgroupparent: text,
  shmsize: maybeNumber,
  ulimits: json(z.array(Ulimit), []),
  buildargs: json(z.record(z.string(), z.string().nullable()), {}),
  labels: json(z.record(z.string(), z.string()), {}),
  squash: flag,
  networkmode: text,
  isolation: text,
  platform: text,
  target: text,
  outputs: json(z.array(Output), []),
  version: text,
  session: text,
  buildid: text,
})
export type BuildQuery = z.output<typeof BuildQuery>

export const CancelQuery = z.object({ id: z.string() })

export const PruneQuery = z.object({
  filters,
  all: flag,
  'keep-storage': maybeNumber,
  'reserved-space': maybeNumber,
})
export type PruneQuery = z.output<typeof PruneQuery>

export const BuildCachePruned = z.object({ CachesDeleted: z.array(z.string()), SpaceReclaimed: z.number() })
export type BuildCachePruned = z.output<typeof BuildCachePruned>

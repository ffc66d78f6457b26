// Secrets of a swarm, and what configs have in common with them.
import { z } from 'zod'
import { Driver, ObjectVersion } from '../swarm/schema.ts'

const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined)
const labels = z.record(z.string(), z.string())

export const SecretSpec = z.object({
  Name: maybe(z.string()),
  Labels: maybe(labels),
  /** Base64. */
  Data: maybe(z.string()),
  /** An external store that it comes from. */
  Driver: maybe(Driver),
  Templating: maybe(Driver),
})
export type SecretSpec = z.output<typeof SecretSpec>

/** What is told of one: never its data. */
export const Secret = z.object({
  ID: z.string(),
  Version: ObjectVersion,
  CreatedAt: z.string(),
  UpdatedAt: z.string(),
  Spec: z.object({
    Name: z.string(),
    Labels: labels,
    Driver: Driver.optional(),
    Templating: Driver.optional(),
  }),
})
export type Secret = z.output<typeof Secret>

export const ObjectId = z.object({ id: z.string() })
export const Created = z.object({ ID: z.string() })

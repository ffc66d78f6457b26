import { z } from 'zod'

const maxKeyLength = 512

const secret = z.string().min(1).max(maxKeyLength)

/** An admin key, a person's key of a project, or the one-time part of a link that ./atoll has printed. */
export const LoginBody = z.union([z.strictObject({ key: secret }), z.strictObject({ link: secret })])
export type LoginBody = z.infer<typeof LoginBody>

export const SessionObject = z.object({
  object: z.literal('console.session'),
  id: z.string(),
  user: z.object({ id: z.string(), name: z.string(), email: z.string() }),
  organization: z.object({ id: z.string(), name: z.string() }),
  /** Whether it may administer the organization: it was opened with an admin key, or by a link. */
  is_admin: z.boolean(),
  /** The one project it may act in; null where that is any of the organization. */
  project: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** Whether it may steer the other services of this machine. */
  is_operator: z.boolean(),
  created_at: z.int(),
  expires_at: z.int(),
})
export type SessionObject = z.infer<typeof SessionObject>

export const LoggedOut = z.object({ object: z.literal('console.session'), id: z.string(), deleted: z.literal(true) })
export type LoggedOut = z.infer<typeof LoggedOut>

const Room = z.object({ free_bytes: z.number(), total_bytes: z.number() })

export const ConsoleActivity = z.object({
  object: z.literal('console.activity'),
  /** The last sixty minutes of this node, the oldest first. */
  data: z.array(
    z.object({
      start_time: z.int(),
      requests: z.int(),
      /** Answered with 4xx. */
      refused: z.int(),
      /** Answered with 5xx. */
      failed: z.int(),
      /** Until the last byte of the answer. Null: there was none. */
      median_ms: z.number().nullable(),
      /** Nineteen of twenty took no longer. */
      slow_ms: z.number().nullable(),
    }),
  ),
  /** Where the server keeps its data. */
  disk: Room,
  /** Of the machine. */
  memory: Room,
})
export type ConsoleActivity = z.infer<typeof ConsoleActivity>

export const ConsoleServiceList = z.object({
  object: z.literal('list'),
  data: z.array(
    z.object({
      object: z.literal('console.service'),
      name: z.enum(['engine', 'hooks', 'cluster']),
      status: z.enum(['running', 'absent']),
      /** Why it does not run, where that is known. */
      reason: z.string().nullable(),
    }),
  ),
})
export type ConsoleServiceList = z.infer<typeof ConsoleServiceList>

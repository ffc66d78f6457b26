import { z } from 'zod'

export const ServerSetting = z.object({
  object: z.literal('organization.server.setting'),
  /** `database.poolSize` */
  id: z.string(),
  /** As JSON, cut where it is long. Null: it is secret. */
  value: z.string().nullable(),
  /** A variable, a flag, or a line of the file. Null: it is the default. */
  source: z.string().nullable(),
})
export type ServerSetting = z.infer<typeof ServerSetting>

export const ServerSettings = z.object({ object: z.literal('list'), data: z.array(ServerSetting) })
export type ServerSettings = z.infer<typeof ServerSettings>

export const ServerCheck = z.object({
  object: z.literal('organization.server.check'),
  what: z.string(),
  /** Who needs it. */
  need: z.string(),
  state: z.enum(['ok', 'missing', 'optional']),
  /** What is there, or what to do. */
  detail: z.string(),
})
export type ServerCheck = z.infer<typeof ServerCheck>

export const ServerChecks = z.object({ object: z.literal('list'), data: z.array(ServerCheck) })
export type ServerChecks = z.infer<typeof ServerChecks>

import { z } from 'zod'

const maxKeyLength = 512

export const LoginBody = z.strictObject({ key: z.string().min(1).max(maxKeyLength) })

export const SessionObject = z.object({
  object: z.literal('console.session'),
  id: z.string(),
  user: z.object({ id: z.string(), name: z.string(), email: z.string() }),
  organization: z.object({ id: z.string(), name: z.string() }),
  created_at: z.int(),
  expires_at: z.int(),
})
export type SessionObject = z.infer<typeof SessionObject>

export const LoggedOut = z.object({ object: z.literal('console.session'), id: z.string(), deleted: z.literal(true) })
export type LoggedOut = z.infer<typeof LoggedOut>

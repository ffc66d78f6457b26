import { z } from 'zod'

export const roles = [
  'none',
  'db_viewer',
  'db_member',
  'cluster_viewer',
  'cluster_member',
  'user_manager',
  'admin',
] as const

export const Role = z.enum(roles)
export type Role = z.output<typeof Role>

const defaultTtlSeconds = 300
const maxTtlSeconds = 86_400

/** How long a token holds, in seconds. */
export const Ttl = z.int().min(1).max(maxTtlSeconds).default(defaultTtlSeconds)

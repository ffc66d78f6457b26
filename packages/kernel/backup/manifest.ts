// What belongs to one backup.
import { z } from 'zod'

const digest = z.string().regex(/^[0-9a-f]{64}$/)
const chunks = z.array(z.object({ digest, rows: z.int().min(0) }))
const name = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/)

export const Manifest = z.object({
  id: z.string().regex(/^[0-9]{8}T[0-9]{6}Z-[0-9a-f]{6}$/),
  /** Milliseconds since the epoch: everything is as it was then. */
  made_at: z.number(),
  atoll: z.string(),
  database: z.enum(['sqlite', 'postgres']),
  /** Steps that the schema has taken. */
  migrations: z.array(z.string()),
  /** In the order of their references. */
  tables: z.array(
    z.object({
      name,
      columns: z.array(z.object({ name, type: z.enum(['text', 'integer', 'number', 'bytes']) })).min(1),
      references: z.array(name),
      rows: z.int().min(0),
      chunks,
    }),
  ),
  /** Chunks of their own: lines of key, bytes and SHA-256. */
  blobs: z.object({ count: z.int().min(0), bytes: z.number().min(0), chunks }),
})

export type Manifest = z.output<typeof Manifest>
export type BackedUpTable = Manifest['tables'][number]

export interface BackedUpBlob {
  key: string
  bytes: number
  sha256: string
}

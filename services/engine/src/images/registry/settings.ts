// What can be set about registries.
import { z } from 'zod'

const httpUrl = z
  .string()
  .max(2_048)
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol))
  .meta({ expects: 'an address that begins with http:// or https://' })

export const RegistrySettings = z.strictObject({
  /** Asked before docker.io itself, in this order. */
  mirrors: z.array(httpUrl).max(32).default([]),
  /** `host`, `host:port` or a network (`10.0.0.0/8`): reached without checking certificates, or by plain HTTP. */
  insecure: z.array(z.string().min(1).max(255)).max(1_000).default([]),
  layersDownAtOnce: z.int().min(1).max(100).default(3),
  layersUpAtOnce: z.int().min(1).max(100).default(5),
})

export type RegistrySettings = z.infer<typeof RegistrySettings>

/** How long a registry may take; tests make them short. */
export interface Patience {
  /** Nothing at all comes or goes on a connection. */
  idleMs: number
  /** A small answer as a whole: manifests, configurations, tokens. */
  smallAnswerMs: number
  /** A registry that has got a whole blob and puts it in its place. */
  commitMs: number
  /** Before the second try; doubled before each further one. */
  backoffMs: number
}

export const usualPatience: Patience = { idleMs: 30_000, smallAnswerMs: 60_000, commitMs: 300_000, backoffMs: 1_000 }

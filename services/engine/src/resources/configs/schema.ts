// Configs of a swarm: like secrets, but what is in them may be read again.
import { z } from 'zod'
import { Secret } from '../secrets/schema.ts'

export const Config = Secret.extend({ Spec: Secret.shape.Spec.extend({ Data: z.string() }) })
export type Config = z.output<typeof Config>

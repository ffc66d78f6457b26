import { z } from 'zod'

/** What the agent was asked in a run. */
export const Turn = z.object({
  trust: z.enum(['operator', 'external']),
  /** What the model reads, external parts between their marks. */
  prompt: z.string(),
  model: z.string(),
  instructions: z.string(),
  tools: z.array(z.string()),
  timeoutSeconds: z.number(),
  threadId: z.string().nullable(),
  runId: z.string().nullable(),
})
export type Turn = z.infer<typeof Turn>

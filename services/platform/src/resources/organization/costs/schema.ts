import { z } from 'zod'

// AST-282, AST-287
export const CostsResult = z.object({
  object: z.literal('organization.costs.result'),
  amount: z.object({ value: z.number(), currency: z.literal('usd') }),
  line_item: z.string().nullable(),
  project_id: z.string().nullable(),
  /** Only where that is asked for: it came later. */
  api_key_id: z.string().nullable().optional(),
})
export type CostsResult = z.infer<typeof CostsResult>

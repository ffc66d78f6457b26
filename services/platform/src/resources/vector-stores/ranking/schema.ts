// How much a caller has the meaning and the words of a question count beside one another.
import { z } from 'zod'

export const HybridSearch = z
  .strictObject({ embedding_weight: z.number().min(0), text_weight: z.number().min(0) })
  .superRefine(({ embedding_weight, text_weight }, context) => {
    if (embedding_weight > 0 || text_weight > 0) return
    const message =
      'embedding_weight and text_weight are both 0, so nothing could be found: give at least one that is larger.'
    context.addIssue({ code: 'custom', message })
  })
export type HybridSearch = z.output<typeof HybridSearch>

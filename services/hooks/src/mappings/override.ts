// What a transform may return: some fields of the action, in place of what the mapping's own templates say.
import { z } from 'zod'
import { TransformAnswer } from './answer.ts'

const text = (most: number) => z.string().max(most).nullish()
const flag = z.boolean().nullish()

export const ActionOverride = z.strictObject({
  /** `skip`: nothing is started, as with null; but there may be an answer. */
  kind: z.enum(['wake', 'agent', 'skip']).nullish(),
  text: text(262_144),
  mode: z.enum(['now', 'next-heartbeat']).nullish(),
  message: text(262_144),
  wakeMode: z.enum(['now', 'next-heartbeat']).nullish(),
  name: text(1_000),
  sessionKey: text(1_000),
  deliver: flag,
  allowUnsafeExternalContent: flag,
  channel: text(100),
  to: text(1_000),
  model: text(1_000),
  thinking: text(100),
  timeoutSeconds: z.number().nullish(),
  answer: TransformAnswer.nullish(),
})
export type ActionOverride = z.output<typeof ActionOverride>

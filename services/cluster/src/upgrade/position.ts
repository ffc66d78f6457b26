// Where an upgrade stands: written down before each step, so that whoever finds it can go on.
import { z } from 'zod'

const Module = z.strictObject({
  module_id: z.string(),
  module_name: z.string(),
  semantic_version: z.string(),
  module_args: z.array(z.string()),
})

/** In their order. */
export const steps = [
  'snapshot',
  'canary',
  'replicas',
  'handover',
  'soak',
  'rebuild',
  'verify',
  'roles',
  'finish',
] as const

export const Position = z.strictObject({
  bdbUid: z.int(),
  step: z.enum(steps),
  before: z.array(Module),
  after: z.array(Module),
  /** Names of the modules that were asked for; they may have been there in that very version. */
  upgraded: z.array(z.string()).optional(),
  preserveRoles: z.boolean(),
  /** The master when the upgrade began. */
  master: z.string(),
  /** Becomes master with the new modules. */
  successor: z.string(),
  /** The successor was made for this upgrade: the database has no replicas. */
  isEphemeral: z.boolean(),
  /** The longest that clients had to wait, in milliseconds. */
  longestGateMs: z.number(),
  /** So long the old master stays ready to take over again. */
  soakSeconds: z.number().default(0),
  /** Milliseconds; known when it begins. */
  soakUntil: z.number().optional(),
  isCancelled: z.boolean().default(false),
  /** Asked for, of a database that nobody else has the data of. */
  mayDiscardData: z.boolean().default(false),
  /** Its data could not be carried over: it begins again with nothing. */
  isDiscarding: z.boolean().default(false),
  rolledBack: z.boolean().optional(),
})

export type Position = z.infer<typeof Position>

/** From here on the old version has nothing left to go back to: the way is forward. */
export const isBeyondReturn = ({ step }: Position): boolean => steps.indexOf(step) > steps.indexOf('soak')

export const nextStep = (step: Position['step']): Position['step'] | undefined => steps[steps.indexOf(step) + 1]

export const progressOf = (step: Position['step']): number => Math.round((100 * steps.indexOf(step)) / steps.length)

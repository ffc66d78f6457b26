// What can be set about mapped hooks: `hooks.presets`, `hooks.mappings`, `hooks.transformsDir` (HOOK-007 … HOOK-013).
import { z } from 'zod'
import { channelKinds } from '../actions.ts'
import { HeaderName, SignatureConfig } from '../ingress/signatures/schema.ts'
import { AnswerConfig } from './answer.ts'

const maxTemplateCharacters = 65_536
const maxMappings = 1_000

const presetNames = ['gmail'] as const
export type PresetName = (typeof presetNames)[number]

const oneOf = <const Name extends string>(names: readonly [Name, ...Name[]]) =>
  z.enum(names).meta({ expects: `one of: ${names.join(', ')}` })

const template = (most: number) =>
  z
    .string()
    .max(most)
    .meta({ expects: `a text of up to ${most} characters; {{…}} is filled in` })

const flag = z.boolean().meta({ expects: 'true or false' })

const trimSlashes = (path: string): string => path.replace(/^\/+|\/+$/g, '')

const HeaderText = z.string().min(1).max(500).meta({ expects: 'the text that the header must be' })

const MatchConfig = z.strictObject({
  /** Behind `hooks.path`. */
  path: z
    .string()
    .max(200)
    .transform(trimSlashes)
    .refine((path) => path !== 'wake' && path !== 'agent')
    .refine((path) => path !== '' && !/[\s?#]/.test(path))
    .meta({ expects: 'a path behind hooks.path like github or ci/build; wake and agent are the gateway’s own' })
    .optional(),
  /** What `source` in the body must be. */
  source: z.string().min(1).max(200).meta({ expects: 'the text that the body’s "source" must be' }).optional(),
  /** What headers must be, each one text or one of several. */
  headers: z
    .record(HeaderName, z.union([HeaderText, z.array(HeaderText).min(1).max(100)]))
    .meta({ expects: 'headers with the texts that they must be: { x-github-event: push }' })
    .optional(),
})

const TransformConfig = z.strictObject({
  /** Inside `hooks.transformsDir`. */
  module: z.string().min(1).max(200).meta({ expects: 'the name of a file in hooks.transformsDir' }),
  export: z
    .string()
    .regex(/^[\p{ID_Start}$_][\p{ID_Continue}$]{0,63}$/u)
    .meta({ expects: 'the name of a function that the module exports' })
    .optional(),
})

export const MappingConfig = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/)
    .meta({ expects: 'up to 64 letters, digits, "_", "." or "-"' })
    .optional(),
  match: MatchConfig.optional(),
  /** `pubsub`: the body is a push of Cloud Pub/Sub; templates and the transform get what is in it. */
  envelope: oneOf(['pubsub']).optional(),
  action: oneOf(['wake', 'agent']).default('agent'),
  wakeMode: oneOf(['now', 'next-heartbeat']).default('now'),
  name: template(200).optional(),
  sessionKey: template(500).optional(),
  messageTemplate: template(maxTemplateCharacters).optional(),
  textTemplate: template(maxTemplateCharacters).optional(),
  deliver: flag.optional(),
  /** Dangerous: what comes in reaches the agent without the safety wrapper. */
  allowUnsafeExternalContent: flag.optional(),
  channel: oneOf(['last', ...channelKinds]).optional(),
  to: template(500).optional(),
  model: template(200).optional(),
  thinking: template(50).optional(),
  timeoutSeconds: z.int().min(1).max(86_400).meta({ expects: 'a whole number of seconds from 1 to 86400' }).optional(),
  transform: TransformConfig.optional(),
  /** In place of 200 `{ok, mode}` and 202 `{ok, runId}`. */
  answer: AnswerConfig.optional(),
  /** Takes the place of the token for what matches. */
  signature: SignatureConfig.optional(),
})
export type MappingConfig = z.output<typeof MappingConfig>

export const MappingsConfig = z.strictObject({
  presets: z
    .array(oneOf(presetNames))
    .meta({ expects: `a list with any of: ${presetNames.join(', ')}` })
    .default([]),
  mappings: z
    .array(MappingConfig)
    .max(maxMappings)
    .meta({ expects: `a list of up to ${maxMappings} mappings` })
    .default([]),
  /** Absent: `hooks/transforms` in the data folder. */
  transformsDir: z.string().min(1).meta({ expects: 'the path of a folder', path: true }).optional(),
})
export type MappingsConfig = z.output<typeof MappingsConfig>

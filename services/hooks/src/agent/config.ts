// What can be set about the agent: its model, its tools, its heartbeat, and the platform that runs it.
import { z } from 'zod'
import { HeartbeatConfig } from './heartbeat/config.ts'
import { ToolConfig, toolNamesAreUnique } from './tools/config.ts'

export const thinkingLevels = ['off', 'minimal', 'low', 'medium', 'high'] as const
export type ThinkingLevel = (typeof thinkingLevels)[number]

const maxNameLetters = 256
const maxInstructionsLetters = 200_000
const maxTools = 20
const maxModels = 1_000
const maxTimeoutSeconds = 24 * 3600

const name = (expects: string) => z.string().min(1).max(maxNameLetters).meta({ expects })

const ModelEntry = z
  .union([
    name('a model'),
    z.strictObject({ model: name('a model, like openai/gpt-4o'), alias: name('another name for it').optional() }),
  ])
  .meta({ expects: 'a model, like openai/gpt-4o, or {model, alias}' })

const defaults = z.strictObject({
  model: name('a model, like gpt-4o-mini').default('gpt-4o-mini'),
  /** Which ones hooks may ask for. Absent: any. HOOK-015 */
  models: z.array(ModelEntry).max(maxModels).meta({ expects: 'a list of models' }).optional(),
  instructions: z
    .string()
    .max(maxInstructionsLetters)
    .meta({ expects: 'the instructions of the agent, a text' })
    .default('You are an assistant that reacts to events and to the requests of hooks.'),
  thinking: z
    .enum(thinkingLevels)
    .meta({ expects: `one of: ${thinkingLevels.join(', ')}` })
    .optional(),
  timeoutSeconds: z
    .int()
    .min(1)
    .max(maxTimeoutSeconds)
    .meta({ expects: `a whole number from 1 to ${maxTimeoutSeconds}` })
    .default(600),
  tools: z.array(ToolConfig).max(maxTools).refine(toolNamesAreUnique, 'two tools have the same name').default([]),
  heartbeat: HeartbeatConfig.prefault({}),
  /** Where HEARTBEAT.md lies. Absent: `hooks/workspace` in the data folder. */
  workspace: z.string().min(1).meta({ expects: 'the path of a folder', path: true }).optional(),
  /** Conversations of hooks that nobody continued for so long are deleted. */
  sessionDays: z.int().min(1).max(3_650).meta({ expects: 'a whole number from 1 to 3650' }).default(30),
})

const platform = z.strictObject({
  /** Absent: the platform that runs in the same process. */
  url: z
    .string()
    .refine((text) => /^https?:/.test(text) && URL.canParse(text))
    .meta({ expects: 'the address of a platform, like http://127.0.0.1:8080' })
    .optional(),
  /** Names the variable that holds the key: keys belong in no file. */
  apiKeyEnv: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
    .meta({ expects: 'the name of an environment variable' })
    .optional(),
})

export const AgentsConfig = z.strictObject({ defaults: defaults.prefault({}), platform: platform.prefault({}) })
export type AgentsConfig = z.output<typeof AgentsConfig>
export type AgentDefaults = AgentsConfig['defaults']

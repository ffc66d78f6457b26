// Tools of the agent, and how far the content of a turn must be trusted before it may use them.
import { z } from 'zod'

const maxDescriptionLetters = 4_000
const maxAnswerBytes = 512 * 1024

/** The least trusted content that may use it. */
const allow = z.enum(['operator', 'external']).meta({ expects: 'operator or external' }).default('operator')

const reservedNames = ['send_message', 'code_interpreter', 'file_search']

const FunctionTool = z.strictObject({
  type: z.literal('function'),
  name: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,64}$/)
    .refine((text) => !reservedNames.includes(text))
    .meta({ expects: `up to 64 letters, digits, _ and -; not one of: ${reservedNames.join(', ')}` }),
  description: z.string().max(maxDescriptionLetters).meta({ expects: 'a text' }).optional(),
  /** A JSON schema. */
  parameters: z.record(z.string(), z.json()).meta({ expects: 'a JSON schema' }).optional(),
  /** The arguments are posted to it, as JSON. */
  url: z
    .string()
    .refine((text) => /^https?:/.test(text) && URL.canParse(text))
    .meta({ expects: 'an http or https address' }),
  /** Names the variable whose content is sent as a bearer token. */
  tokenEnv: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
    .meta({ expects: 'the name of an environment variable' })
    .optional(),
  timeoutSeconds: z.int().min(1).max(300).meta({ expects: 'a whole number from 1 to 300' }).default(30),
  maxAnswerBytes: z
    .int()
    .min(1)
    .max(maxAnswerBytes)
    .meta({ expects: `at most ${maxAnswerBytes}` })
    .default(65_536),
  /** The receiver honours Idempotency-Key: a call that a crash interrupted is made again. */
  idempotent: z.boolean().meta({ expects: 'true or false' }).default(false),
  allow,
})
export type FunctionTool = z.output<typeof FunctionTool>

const CodeInterpreter = z.strictObject({ type: z.literal('code_interpreter'), allow })
const FileSearch = z.strictObject({
  type: z.literal('file_search'),
  /** The platform searches one store in a run. */
  vectorStoreIds: z.array(z.string().min(1).max(256)).length(1).meta({ expects: 'a list with the id of one store' }),
  allow,
})
const SendMessage = z.strictObject({ type: z.literal('send_message'), allow })

export const ToolConfig = z
  .discriminatedUnion('type', [CodeInterpreter, FileSearch, FunctionTool, SendMessage])
  .meta({ expects: 'a tool of type code_interpreter, file_search, function or send_message' })
export type ToolConfig = z.output<typeof ToolConfig>

/** As the model names it. */
export const toolName = (tool: ToolConfig): string => (tool.type === 'function' ? tool.name : tool.type)

export const toolNamesAreUnique = (tools: ToolConfig[]): boolean => new Set(tools.map(toolName)).size === tools.length

// The tool `mcp`: tools of a server that the operator of this one has allowed.
import { z } from 'zod'

const maxLabelLetters = 128
const maxNameLetters = 128
const maxNames = 256
const maxHeaders = 32
const maxHeaderLetters = 16_384
const maxUrlLetters = 8_192

const ToolName = z.string().min(1).max(maxNameLetters)
const ToolFilter = z.strictObject({
  tool_names: z.array(ToolName).max(maxNames).nullish(),
  read_only: z.boolean().nullish(),
})
export type ToolFilter = z.output<typeof ToolFilter>

/** Those that say how messages are framed are ours to send. */
const ownHeaders =
  /^(accept|connection|content-length|content-type|cookie|expect|host|keep-alive|mcp-.*|origin|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i

const HeaderName = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'a header has letters, digits and marks in its name.')
  .refine((name) => !ownHeaders.test(name), { error: 'this header is not the caller’s to set.' })
const HeaderValue = z
  .string()
  .max(maxHeaderLetters)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'a header has no line breaks in its value.')

const notHere = (what: string) =>
  z
    .string()
    .refine(() => false, { error: `this server has no ${what}. Name an MCP server with 'server_url'.` })
    .optional()

export const McpTool = z.strictObject({
  type: z.literal('mcp'),
  server_label: z.string().min(1).max(maxLabelLetters),
  server_url: z.string().min(1).max(maxUrlLetters).nullish(),
  server_description: z.string().max(16_384).nullish(),
  headers: z
    .record(HeaderName, HeaderValue)
    .refine((headers) => Object.keys(headers).length <= maxHeaders, { error: `at most ${maxHeaders} headers.` })
    .nullish(),
  authorization: HeaderValue.nullish(),
  allowed_tools: z.union([z.array(ToolName).max(maxNames), ToolFilter]).nullish(),
  require_approval: z
    .union([z.enum(['always', 'never']), z.strictObject({ always: ToolFilter.nullish(), never: ToolFilter.nullish() })])
    .nullish(),
  allowed_callers: z.array(z.literal('direct')).nullish(),
  defer_loading: z.literal(false).nullish(),
  connector_id: notHere('connectors'),
  tunnel_id: notHere('tunnels'),
})
export type McpTool = z.output<typeof McpTool>

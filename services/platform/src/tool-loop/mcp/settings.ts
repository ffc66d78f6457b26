// Which MCP servers the operator allows, and what asking one may cost.
import { z } from 'zod'

const seconds = (fallback: number) =>
  z.int().min(1).max(3_600).meta({ expects: 'a whole number from 1 to 3600' }).default(fallback)

const Server = z
  .strictObject({
    /** Of a server that speaks streamable HTTP. */
    url: z
      .url({ protocol: /^https?$/ })
      .max(8_192)
      .meta({ expects: 'an http or https address' })
      .optional(),
    /** Words of a program on this machine that speaks through its standard input and output. */
    command: z.array(z.string().min(1).max(10_000)).min(1).max(100).optional(),
    /** For the program; of our own surroundings it gets PATH, HOME and LANG alone. */
    env: z.record(z.string().max(256), z.string().max(65_536)).default({}),
  })
  .refine(({ url, command }) => (url === undefined) !== (command === undefined), {
    error: "expected either 'url' or 'command'",
  })

export const McpSettings = z.strictObject({
  /** By name. A tool names one by its `server_url`, or by its name as `server_label`. */
  servers: z.record(z.string().min(1).max(128), Server).default({}),
  /** Until a server has greeted us or listed its tools. */
  connectSeconds: seconds(30),
  /** For one call. */
  callSeconds: seconds(120),
})
export type McpSettings = z.output<typeof McpSettings>

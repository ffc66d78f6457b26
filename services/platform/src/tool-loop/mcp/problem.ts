// What goes wrong between us and an MCP server, in words for the caller; addresses and headers are not repeated.

/** As an `mcp_call` shows it. */
export type McpCallError =
  | { type: 'mcp_protocol_error'; code: number; message: string }
  | { type: 'mcp_tool_execution_error'; content: unknown }
  | { type: 'http_error'; code: number; message: string }

export class McpProblem extends Error {
  override readonly name = 'McpProblem'
  readonly shown: Extract<McpCallError, { message: string }>

  constructor(shown: Extract<McpCallError, { message: string }>, options?: ErrorOptions) {
    super(shown.message, options)
    this.shown = shown
  }
}

/** Of JSON-RPC: the server's own fault, and none of its codes. */
const internalError = -32603

const protocol = (message: string, code = internalError, cause?: unknown): McpProblem =>
  new McpProblem({ type: 'mcp_protocol_error', code, message }, { cause })

export const mcpProblems = {
  answered: (status: number) =>
    new McpProblem({ type: 'http_error', code: status, message: `The MCP server answered with HTTP ${status}.` }),
  redirected: (status: number) =>
    new McpProblem({
      ...{ type: 'http_error', code: status },
      message: `The MCP server answered with a redirect (HTTP ${status}), which is not followed.`,
    }),
  unreachable: (cause: unknown) => protocol('The MCP server could not be reached.', internalError, cause),
  ended: () => protocol('The MCP server ended before it had answered.'),
  notStarted: (cause: unknown) => protocol("The MCP server's program could not be started.", internalError, cause),
  tooSlow: (seconds: number) => protocol(`The MCP server did not answer within ${seconds} seconds.`),
  tooLarge: (bytes: number) => protocol(`The MCP server sent more than ${bytes} bytes in one answer.`),
  tooManyTools: (count: number) => protocol(`The MCP server has more than ${count} tools.`),
  nonsense: (cause?: unknown) =>
    protocol('The MCP server sent something that is no MCP message.', internalError, cause),
  refused: ({ code, message }: { code: number; message: string }) => protocol(message, code),
}

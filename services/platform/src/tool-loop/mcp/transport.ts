// How requests get to an MCP server, and its answers back.
import type { McpRequest } from './message.ts'

export interface McpTransport {
  /** The answer's `result`. Throws McpProblem, or the signal's reason. */
  ask(request: McpRequest & { id: number }, signal: AbortSignal): Promise<unknown>
  tell(notification: McpRequest, signal: AbortSignal): Promise<void>
  /** The version that both have agreed on. */
  agreeOn(version: string): void
  close(): Promise<void>
}

/** Of one answer. */
export const maxAnswerBytes = 4 * 1024 * 1024

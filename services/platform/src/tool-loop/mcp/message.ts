// Messages of JSON-RPC, as far as a client that only lists and calls tools needs them.
import { z } from 'zod'
import { mcpProblems } from './problem.ts'

export interface McpRequest {
  jsonrpc: '2.0'
  id?: number
  method: string
  params?: object
}

const maxMessageLetters = 2000

const Answer = z.object({
  id: z.union([z.string(), z.number()]).nullish(),
  method: z.string().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
})

/** What the server answers to the request with this id; undefined while it says something else. */
export function answerIn(text: string, id: number): { result: unknown } | undefined {
  for (const message of parsed(text)) {
    const { success, data } = Answer.safeParse(message)
    if (!success) throw mcpProblems.nonsense()
    if (data.method !== undefined || data.id !== id) continue
    if (data.error === undefined) return { result: data.result }
    throw mcpProblems.refused({ ...data.error, message: data.error.message.slice(0, maxMessageLetters) })
  }
  return undefined
}

/** Older servers may send several at once. */
function parsed(text: string): unknown[] {
  try {
    const message: unknown = JSON.parse(text)
    return Array.isArray(message) ? message : [message]
  } catch (error) {
    throw mcpProblems.nonsense(error)
  }
}

// A function of the operator's: the arguments go to its address, the answer goes back to the model.
import type { FunctionTool } from './config.ts'

const maxArgumentBytes = 256 * 1024

export interface FunctionCall {
  tool: FunctionTool
  arguments: string
  /** The same however often the call is made. */
  idempotencyKey: string
  signal: AbortSignal
}

/** Never throws for what the receiver does: the model is told. */
export async function callFunction(call: FunctionCall): Promise<string> {
  const { tool, signal } = call
  if (!isObject(call.arguments)) return 'The call was not made: its arguments are no JSON object.'
  if (Buffer.byteLength(call.arguments) > maxArgumentBytes) return 'The call was not made: its arguments are too long.'
  const timeout = AbortSignal.timeout(tool.timeoutSeconds * 1000)
  try {
    const response = await fetch(tool.url, {
      method: 'POST',
      redirect: 'error',
      headers: headersOf(call),
      body: call.arguments,
      signal: AbortSignal.any([signal, timeout]),
    })
    const text = await readLimited(response, tool.maxAnswerBytes)
    return response.ok ? text : `The tool failed with status ${response.status}: ${text}`
  } catch (error) {
    signal.throwIfAborted()
    if (timeout.aborted) return `The tool did not answer within ${tool.timeoutSeconds} s.`
    return `The tool could not be reached: ${error instanceof Error ? reasonOf(error) : 'unknown reason'}`
  }
}

function headersOf({ tool, idempotencyKey }: FunctionCall): Record<string, string> {
  const token = tool.tokenEnv === undefined ? undefined : process.env[tool.tokenEnv]
  return {
    'content-type': 'application/json',
    'idempotency-key': idempotencyKey,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
}

async function readLimited(response: Response, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of response.body ?? []) {
    pieces.push(piece)
    length += piece.length
    if (length > maxBytes) break
  }
  const text = Buffer.concat(pieces).subarray(0, maxBytes).toString('utf8')
  return length > maxBytes ? `${text}\n[cut off after ${maxBytes} bytes]` : text
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

const reasonOf = ({ message, cause }: Error): string =>
  cause instanceof Error && 'code' in cause ? `${message} (${String(cause.code)})` : message

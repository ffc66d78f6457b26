// MCP over HTTP ("streamable HTTP"): each request is a POST, answered with JSON or with a stream of events.
import { SseReader } from '@atoll/models/upstream/sse'
import { answerIn, type McpRequest } from './message.ts'
import { McpProblem, mcpProblems } from './problem.ts'
import { type McpTransport, maxAnswerBytes } from './transport.ts'

const farewellMs = 2000

export class HttpTransport implements McpTransport {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  #session: string | undefined
  #version: string | undefined

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.#url = url
    this.#headers = headers
  }

  agreeOn(version: string): void {
    this.#version = version
  }

  async ask(request: McpRequest & { id: number }, signal: AbortSignal): Promise<unknown> {
    const response = await this.#post(request, signal)
    this.#session = response.headers.get('mcp-session-id') ?? this.#session
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    const pieces = boundedPieces(response, signal)
    if (isStream) return answerInStream(pieces, request.id)
    const answer = answerIn(await textOf(pieces), request.id)
    if (answer === undefined) throw mcpProblems.nonsense()
    return answer.result
  }

  async tell(notification: McpRequest, signal: AbortSignal): Promise<void> {
    const response = await this.#post(notification, signal)
    await response.body?.cancel()
  }

  /** A server that keeps sessions is told that this one is over; whether it hears that is not waited for long. */
  async close(): Promise<void> {
    if (this.#session === undefined) return
    const init = { method: 'DELETE', headers: this.#allHeaders(), redirect: 'manual' as const }
    const gone = await fetch(this.#url, { ...init, signal: AbortSignal.timeout(farewellMs) }).catch(() => undefined)
    await gone?.body?.cancel().catch(() => undefined)
  }

  async #post(message: McpRequest, signal: AbortSignal): Promise<Response> {
    const init = { method: 'POST', headers: this.#allHeaders(), body: JSON.stringify(message), signal }
    const response = await fetch(this.#url, { ...init, redirect: 'manual' }).catch((error: unknown) => {
      signal.throwIfAborted()
      throw mcpProblems.unreachable(error)
    })
    if (response.ok) return response
    await response.body?.cancel()
    const { status } = response
    throw status >= 300 && status < 400 ? mcpProblems.redirected(status) : mcpProblems.answered(status)
  }

  #allHeaders(): Record<string, string> {
    return {
      ...this.#headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(this.#session === undefined ? {} : { 'mcp-session-id': this.#session }),
      ...(this.#version === undefined ? {} : { 'mcp-protocol-version': this.#version }),
    }
  }
}

async function* boundedPieces(response: Response, signal: AbortSignal): AsyncGenerator<Buffer> {
  let bytes = 0
  try {
    for await (const piece of response.body ?? []) {
      bytes += piece.length
      if (bytes > maxAnswerBytes) throw mcpProblems.tooLarge(maxAnswerBytes)
      yield Buffer.from(piece)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof McpProblem ? error : mcpProblems.unreachable(error)
  }
}

async function textOf(pieces: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all).toString()
}

/** What else the server tells meanwhile (progress, its log) is passed over. */
async function answerInStream(pieces: AsyncIterable<Buffer>, id: number): Promise<unknown> {
  const reader = new SseReader(maxAnswerBytes)
  for await (const piece of pieces) {
    reader.push(piece)
    for (let data = reader.next(); data !== undefined; data = reader.next()) {
      const answer = data === '' ? undefined : answerIn(data, id)
      if (answer !== undefined) return answer.result
    }
  }
  throw mcpProblems.ended()
}

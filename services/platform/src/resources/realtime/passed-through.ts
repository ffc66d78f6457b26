// A session that a server behind this one holds: events go both ways as they are, but for the model's name. Each
// response is let in by the project's limits and counted when it is done.
import type { ClientSocket } from '@atoll/kernel/http/sockets/dial-socket'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { RealtimeModel } from '@atoll/models/realtime'
import type { WebSocket } from 'ws'
import type { ProjectCaller } from '../../callers.ts'
import { realtimeErrors } from '../../errors/realtime.ts'
import type { Inference } from '../../inference/inference.ts'
import type { ConnectionLimits } from './connection.ts'
import { eventError } from './event-error.ts'
import type { ServerEvent } from './events.ts'
import { type Message, Messages } from './messages.ts'
import { Outbox } from './outbox.ts'
import { PassedResponses } from './passed-responses.ts'
import { eventIdOf } from './read-event.ts'
import { SessionTimers } from './session-timers.ts'

const normalClosure = 1000
const upstreamFailed = 1011

export interface PassedParts {
  inference: Inference
  ids: Ids
  log: Log
  caller: ProjectCaller
  /** The public id. */
  model: string
  upstream: RealtimeModel
  isBeta: boolean
  /** Told to the server before anything the client says: what a short-lived key was made with. */
  settings: object | undefined
  limits: ConnectionLimits
}

/** Never fails: what goes wrong is told to the client, and ends its session. */
export async function passThrough(client: WebSocket, parts: PassedParts): Promise<void> {
  client.pause()
  const outbox = new Outbox(client, parts.limits.stallSeconds)
  const leaving = new AbortController()
  client.on('close', () => leaving.abort())
  const call = { signal: leaving.signal, turn: parts.caller.projectId }
  try {
    const server = await parts.upstream.connect({ isBeta: parts.isBeta }, call)
    if (leaving.signal.aborted) return server.close()
    new PassedSession(client, server, outbox, parts)
    client.resume()
    server.resume()
  } catch (error) {
    if (leaving.signal.aborted) return
    const { ids, log } = parts
    const told = { type: 'error', event_id: ids.next('event_'), error: { ...eventError(error, log), event_id: null } }
    outbox.send(JSON.stringify(told))
    client.close(upstreamFailed)
  }
}

class PassedSession {
  readonly #client: WebSocket
  readonly #server: ClientSocket
  readonly #toClient: Outbox
  readonly #toServer: Outbox
  readonly #parts: PassedParts
  readonly #responses: PassedResponses
  readonly #timers: SessionTimers
  /** The answer to what was told before the client could ask for anything. */
  #ownUpdates: number

  constructor(client: WebSocket, server: ClientSocket, toClient: Outbox, parts: PassedParts) {
    this.#client = client
    this.#server = server
    this.#parts = parts
    this.#toClient = toClient
    this.#toServer = new Outbox(server, parts.limits.stallSeconds)
    this.#responses = new PassedResponses({ ...parts, tell: (event) => this.#tell(event) })
    this.#timers = new SessionTimers(parts.limits, (reason) => this.#end(reason, normalClosure))
    this.#ownUpdates = parts.settings === undefined ? 0 : 1
    if (parts.settings !== undefined) this.#ask({ type: 'session.update', session: parts.settings })
    client.on('message', () => this.#timers.heard())
    new Messages(client, (message) => this.#fromClient(message))
    new Messages(server, (message) => this.#fromServer(message))
    client.on('close', () => this.#close())
    server.on('error', (error) => parts.log.info({ error }, 'A realtime session behind this server failed'))
    server.on('close', (code) => {
      this.#close()
      client.close(code === normalClosure ? normalClosure : upstreamFailed)
    })
  }

  async #fromClient({ data, isBinary }: Message): Promise<void> {
    let event: ServerEvent | undefined
    try {
      if (isBinary) throw realtimeErrors.notText()
      event = eventIn(data, ['"response.create"', '"session.update"'])
      if (event?.type === 'response.create') await this.#responses.admit()
      this.#toServer.send(this.#renamed(event, data, this.#parts.model, this.#parts.upstream.model))
    } catch (error) {
      this.#tellError(error, eventIdOf(event))
    }
    await this.#toServer.ready()
  }

  async #fromServer({ data }: Message): Promise<void> {
    const event = eventIn(data, ['"response.', '"session.', '"rate_limits.updated"', '"error"'])
    // What the server's owner may use is nobody else's business: the project has limits of its own.
    if (event?.type === 'rate_limits.updated') return
    if (event?.type === 'session.updated' && this.#ownUpdates > 0) {
      this.#ownUpdates -= 1
      return
    }
    this.#toClient.send(this.#renamed(event, data, this.#parts.upstream.model, this.#parts.model))
    if (event?.type === 'response.created' || event?.type === 'response.done' || event?.type === 'error') {
      await this.#count(event)
    }
    await this.#toClient.ready()
  }

  async #count(event: ServerEvent): Promise<void> {
    const { id, usage } = (event.response ?? {}) as { id?: string; usage?: unknown }
    if (event.type === 'error') return this.#responses.refused()
    if (event.type === 'response.done') return this.#responses.done(id ?? '', usage)
    try {
      await this.#responses.created(id ?? '')
    } catch (error) {
      // Begun by the server itself, after speech: nobody could be asked before.
      this.#ask({ type: 'response.cancel', response_id: id })
      this.#tellError(error, null)
    }
  }

  /** The same bytes, but for a session that names the model. */
  #renamed(event: ServerEvent | undefined, data: Buffer, from: string, to: string): string {
    const session = event?.session as { model?: unknown } | undefined
    if (event === undefined || session?.model !== from) return data.toString()
    return JSON.stringify({ ...event, session: { ...session, model: to } })
  }

  #ask(event: object): void {
    this.#toServer.send(JSON.stringify(event))
  }

  #tell({ type, ...fields }: ServerEvent): void {
    this.#toClient.send(JSON.stringify({ type, event_id: this.#parts.ids.next('event_'), ...fields }))
  }

  #tellError(error: unknown, eventId: string | null): void {
    const told = eventError(error, this.#parts.log)
    this.#tell({ type: 'error', error: { ...told, event_id: eventId } })
    // A key that has ended opens no further session either.
    if (told.code === 'invalid_api_key') this.#client.close(normalClosure)
  }

  #end(reason: Error, code: number): void {
    this.#tellError(reason, null)
    this.#client.close(code)
  }

  #close(): void {
    this.#timers.clear()
    this.#responses.close()
    this.#server.close()
  }
}

/** Read only where one of these words stands in it: most messages are sound. */
function eventIn(data: Buffer, words: readonly string[]): ServerEvent | undefined {
  if (!words.some((word) => data.includes(word))) return undefined
  try {
    const event: unknown = JSON.parse(data.toString())
    const isEvent = typeof event === 'object' && event !== null && 'type' in event && typeof event.type === 'string'
    return isEvent ? (event as ServerEvent) : undefined
  } catch {
    return undefined
  }
}

// A session on its socket: messages in, events out, in the words the client speaks; and its end.
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { WebSocket } from 'ws'
import { realtimeErrors } from '../../errors/realtime.ts'
import type { Dialect } from './dialects/dialect.ts'
import { eventError } from './event-error.ts'
import type { ServerEvent } from './events.ts'
import { type Message, Messages } from './messages.ts'
import { Outbox } from './outbox.ts'
import { clientEvent, eventIdOf, rawEvent, readMessage } from './read-event.ts'
import { Session, type SessionParts } from './session.ts'
import { SessionTimers } from './session-timers.ts'

const normalClosure = 1000

export interface ConnectionLimits {
  maxSessionSeconds: number
  idleSeconds: number
  stallSeconds: number
}

export interface ConnectionParts extends Omit<SessionParts, 'emit' | 'ready'> {
  ids: Ids
  log: Log
  dialect: Dialect
  limits: ConnectionLimits
}

export class Connection {
  readonly #socket: WebSocket
  readonly #parts: ConnectionParts
  readonly #outbox: Outbox
  readonly #session: Session
  readonly #timers: SessionTimers

  constructor(socket: WebSocket, parts: ConnectionParts) {
    this.#socket = socket
    this.#parts = parts
    this.#outbox = new Outbox(socket, parts.limits.stallSeconds)
    this.#session = new Session({
      ...parts,
      emit: (event) => this.#emit(event),
      ready: () => this.#outbox.ready(),
    })
    this.#timers = new SessionTimers(parts.limits, (reason) => this.#end(reason))
    socket.on('message', () => this.#timers.heard())
    new Messages(socket, async (message) => {
      await this.#take(message)
      await this.#outbox.ready()
    })
    socket.on('close', () => this.#closed())
    this.#session.begin()
  }

  #emit(event: ServerEvent): void {
    for (const told of this.#parts.dialect.write(event)) {
      const { type, ...fields } = told
      this.#outbox.send(JSON.stringify({ type, event_id: this.#parts.ids.next('event_'), ...fields }))
    }
  }

  #tellError(error: unknown, eventId: string | null): void {
    this.#emit({ type: 'error', error: { ...eventError(error, this.#parts.log), event_id: eventId } })
  }

  async #take({ data, isBinary }: Message): Promise<void> {
    let value: unknown
    try {
      if (isBinary) throw realtimeErrors.notText()
      value = await readMessage(data)
      await this.#session.take(clientEvent(this.#parts.dialect.read(rawEvent(value))))
    } catch (error) {
      this.#tellError(error, eventIdOf(value)) // AST-172, AST-173
    }
  }

  #end(reason: unknown): void {
    this.#tellError(reason, null)
    this.#session.close()
    this.#socket.close(normalClosure)
  }

  #closed(): void {
    this.#timers.clear()
    this.#session.close()
  }
}

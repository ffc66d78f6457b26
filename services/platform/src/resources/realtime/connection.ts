// A session on its socket: messages in, events out, in the words the client speaks; and its end.
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { WebSocket } from 'ws'
import { realtimeErrors } from '../../errors/realtime.ts'
import type { Dialect } from './dialects/dialect.ts'
import { eventError } from './event-error.ts'
import type { ServerEvent } from './events.ts'
import { Outbox } from './outbox.ts'
import { clientEvent, eventIdOf, rawEvent, readMessage } from './read-event.ts'
import { Session, type SessionParts } from './session.ts'

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
  readonly #waiting: { data: Buffer; isBinary: boolean }[] = []
  readonly #timers: { idle: NodeJS.Timeout; end: NodeJS.Timeout }
  #isBusy = false

  constructor(socket: WebSocket, parts: ConnectionParts) {
    this.#socket = socket
    this.#parts = parts
    this.#outbox = new Outbox(socket, parts.limits.stallSeconds)
    this.#session = new Session({
      ...parts,
      emit: (event) => this.#emit(event),
      ready: () => this.#outbox.ready(),
    })
    const { idleSeconds, maxSessionSeconds } = parts.limits
    this.#timers = {
      idle: setTimeout(() => this.#end(realtimeErrors.sessionIdle(idleSeconds)), idleSeconds * 1000).unref(),
      end: setTimeout(
        () => this.#end(realtimeErrors.sessionTooLong(Math.round(maxSessionSeconds / 60))),
        maxSessionSeconds * 1000,
      ).unref(),
    }
    socket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary))
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

  /** One after the other, in the order they came. */
  #receive(data: Buffer, isBinary: boolean): void {
    this.#timers.idle.refresh()
    this.#waiting.push({ data, isBinary })
    if (this.#isBusy) {
      // What comes while a large event is read waits in the client's own buffers.
      this.#socket.pause()
      return
    }
    this.#isBusy = true
    void this.#work()
  }

  async #work(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await this.#take(next)
      await this.#outbox.ready()
    }
    this.#isBusy = false
    if (this.#socket.isPaused && this.#socket.readyState === this.#socket.OPEN) this.#socket.resume()
  }

  async #take({ data, isBinary }: { data: Buffer; isBinary: boolean }): Promise<void> {
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
    clearTimeout(this.#timers.idle)
    clearTimeout(this.#timers.end)
    this.#waiting.length = 0
    this.#session.close()
  }
}

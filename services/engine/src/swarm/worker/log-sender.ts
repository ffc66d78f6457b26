// Sends logs of tasks to the manager that asks for them: a piece at a time, the next when it wants more.
import type { Readable } from 'node:stream'
import type { LogsQuery } from '../../resources/containers/logs/logs-query.ts'
import type { FromWorker } from '../session/messages.ts'

export interface LogSenderParts {
  /** Throws where the task's container is gone, or its log cannot be read. */
  read(taskId: string, query: LogsQuery): Readable
  send(message: FromWorker): void
}

const pieceBytes = 64 * 1024

export class LogSender {
  readonly #parts: LogSenderParts
  readonly #reading = new Map<string, { stream: Readable; more(): void }>()

  constructor(parts: LogSenderParts) {
    this.#parts = parts
  }

  begin(id: string, taskId: string, query: LogsQuery): void {
    this.#send(id, taskId, query)
      .then(() => this.#parts.send({ is: 'logs', id, isOver: true }))
      .catch((error: Error) =>
        this.#parts.send({ is: 'logs', id, isOver: true, problem: error.message.slice(0, 1_000) }),
      )
      .finally(() => this.#reading.delete(id))
  }

  more(id: string): void {
    this.#reading.get(id)?.more()
  }

  stop(id: string): void {
    this.#reading.get(id)?.stream.destroy()
    this.more(id)
  }

  /** Nobody is there to read them. */
  stopAll(): void {
    for (const id of [...this.#reading.keys()]) this.stop(id)
  }

  async #send(id: string, taskId: string, query: LogsQuery): Promise<void> {
    const stream = this.#parts.read(taskId, query)
    const reading = { stream, more: () => {} }
    this.#reading.set(id, reading)
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length && !stream.destroyed; at += pieceBytes) {
        const wanted = new Promise<void>((resolve) => {
          reading.more = resolve
        })
        this.#parts.send({ is: 'logs', id, piece: chunk.toString('base64', at, at + pieceBytes), isOver: false })
        await wanted
      }
    }
  }
}

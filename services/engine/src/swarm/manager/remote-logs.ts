// Logs of tasks on other nodes, as streams: each is read as fast as somebody takes it.
import { Readable } from 'node:stream'
import type { LogsQuery } from '../../resources/containers/logs/logs-query.ts'
import type { FromManager, FromWorker } from '../session/messages.ts'

type Piece = Extract<FromWorker, { is: 'logs' }>

const maxAtOnce = 256

export class RemoteLogs {
  readonly #send: (message: FromManager) => void
  readonly #streams = new Map<string, Readable>()
  #lastId = 0

  constructor(send: (message: FromManager) => void) {
    this.#send = send
  }

  open(taskId: string, query: LogsQuery): Readable {
    const id = String(++this.#lastId)
    let isBegun = false
    const stream = new Readable({
      highWaterMark: 1,
      read: () => {
        this.#send(isBegun ? { is: 'logsMore', id } : { is: 'logs', id, taskId, query })
        isBegun = true
      },
      destroy: (error, done) => {
        if (this.#streams.delete(id) && isBegun) this.#send({ is: 'logsStop', id })
        done(error)
      },
    })
    if (this.#streams.size >= maxAtOnce) {
      stream.destroy(new Error('too many logs are read from the node'))
      return stream
    }
    this.#streams.set(id, stream)
    return stream
  }

  take({ id, piece, isOver, problem }: Piece): void {
    const stream = this.#streams.get(id)
    if (stream === undefined) return
    if (piece !== undefined) stream.push(Buffer.from(piece, 'base64'))
    if (!isOver) return
    this.#streams.delete(id)
    if (problem === undefined) stream.push(null)
    else stream.destroy(new Error(problem))
  }

  /** The node is away. */
  closed(): void {
    for (const stream of [...this.#streams.values()]) stream.destroy(new Error('the node went away'))
  }
}

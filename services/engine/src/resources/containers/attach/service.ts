// Attaching to a container's first process: its output as it comes, and its input.
import type { Duplex } from 'node:stream'
import { conflict, invalidParameter, unavailable } from '../../../errors.ts'
import type { EngineEvents } from '../../../events/engine-events.ts'
import type { AttachedStreams, Runtime, AttachOptions as WantedStreams } from '../../../runtime/runtime.ts'
import { afterHead } from '../../../streams/answer-head.ts'
import { ClientSession, type SessionOptions } from '../../../streams/client-session.ts'
import { parseDetachKeys } from '../../../streams/detach-keys.ts'
import type { Logs } from '../logs/service.ts'
import type { ContainerRecord } from '../record.ts'
import type { AttachQuery } from './attach-query.ts'
import { StartQueue } from './start-queue.ts'

/** The shim takes a few more. */
const maxClientsPerContainer = 60

export interface AttachParts {
  /** Throws noSuchContainer. */
  find(idOrName: string): ContainerRecord
  runtime: Pick<Runtime, 'attach'>
  logs: Pick<Logs, 'read'>
  events: EngineEvents
  emit(container: ContainerRecord, action: string, attributes?: Record<string, string>): void
  now(): number
}

export interface Attachment {
  tty: boolean
  /** From here on the client's bytes are the container's. */
  serve(client: Duplex): void
}

export interface AttachOptions {
  /** Output without frames, as WebSockets have it. */
  unframed?: boolean
}

export class Attachments {
  readonly #parts: AttachParts
  readonly #queue = new StartQueue<ClientSession>()
  readonly #clients = new Map<string, number>()
  /** Containers whose input was for one client, and that one left while it waited: their input is over. */
  readonly #inputOver = new Set<string>()
  /** How often those who waited for a container were connected. */
  readonly #starts = new Map<string, number>()

  constructor(parts: AttachParts) {
    this.#parts = parts
    parts.events.listen(({ Type, Action, Actor }) => {
      if (Type !== 'container' || Action !== 'destroy') return
      this.release(Actor.ID)
      this.#starts.delete(Actor.ID)
      this.#inputOver.delete(Actor.ID)
    })
  }

  async attach(idOrName: string, query: AttachQuery, options: AttachOptions = {}): Promise<Attachment> {
    const detachKeys = parseDetachKeys(query.detachKeys)
    if (detachKeys === undefined) throw badKeys(query)
    const container = this.#parts.find(idOrName)
    this.#check(container, idOrName)
    const starts = this.#starts.get(container.id)
    const session: SessionOptions = {
      tty: container.config.Tty === true,
      stdin: query.stdin && container.config.OpenStdin === true && query.stream,
      stdout: query.stdout,
      stderr: query.stderr,
      detachKeys,
      hasOwnDetachKeys: Boolean(query.detachKeys),
      unframed: options.unframed ?? false,
    }
    // Connected before it is answered: what cannot be reached is told, and nothing is missed from here on.
    const afterLog = query.logs && (query.stdout || query.stderr)
    const streams =
      query.stream && isUp(container) ? await this.#connect(container.id, { ...session, afterLog }) : undefined
    this.#parts.emit(container, 'attach')
    const served = { container, query, session, streams, starts }
    return { tty: session.tty, serve: (client) => this.#serve(client, served) }
  }

  /** Refuses what `attach` would refuse. */
  check(idOrName: string, query: AttachQuery): void {
    if (parseDetachKeys(query.detachKeys) === undefined) throw badKeys(query)
    this.#check(this.#parts.find(idOrName), idOrName)
  }

  /**
   * Between the runtime's `create` and `start` of a container: connects those who wait for it. `detachKeys`: for those
   * who named none themselves.
   */
  async connectWaiting(containerId: string, detachKeys?: readonly number[]): Promise<void> {
    this.#starts.set(containerId, (this.#starts.get(containerId) ?? 0) + 1)
    const waiting = this.#queue.take(containerId).filter(({ isOver }) => !isOver)
    if (detachKeys !== undefined) for (const client of waiting) client.defaultDetachKeys(detachKeys)
    await Promise.all(waiting.map((client) => this.#joinLate(client, containerId)))
    if (this.#inputOver.delete(containerId)) await this.#endInput(containerId)
  }

  /** The start failed, or the container is gone: nobody waits for it any longer. */
  release(containerId: string): void {
    for (const client of this.#queue.take(containerId)) client.end()
  }

  /** How many clients are attached or waiting. */
  clientsOf(containerId: string): number {
    return this.#clients.get(containerId) ?? 0
  }

  #check({ id, state }: ContainerRecord, asked: string): void {
    if (state.status === 'paused') {
      throw conflict(`Container ${asked} is paused. Unpause the container before attach`)
    }
    if (state.status === 'restarting') {
      throw conflict(`Container ${asked} is restarting, wait until the container is running`)
    }
    if (this.clientsOf(id) >= maxClientsPerContainer) {
      throw unavailable(`Container ${asked} has ${maxClientsPerContainer} attached clients already`)
    }
  }

  #connect(containerId: string, wanted: WantedStreams): Promise<AttachedStreams> {
    const { stdin = false, stdout = false, stderr = false, afterLog = false } = wanted
    return this.#parts.runtime.attach(containerId, { stdin, stdout, stderr, afterLog })
  }

  async #joinLate(client: ClientSession, containerId: string): Promise<void> {
    try {
      // What is still being replayed ends where the new run begins.
      const streams = await this.#connect(containerId, { ...client.wanted, afterLog: client.isReplaying })
      client.logEnd = streams.logEnd
      client.join(streams.connection)
    } catch {
      client.end()
    }
  }

  #stopWaiting(client: ClientSession, { id, config }: ContainerRecord): void {
    const hasWaited = this.#queue.remove(id, client)
    if (hasWaited && client.wanted.stdin && config.StdinOnce === true) this.#inputOver.add(id)
  }

  /** As if who left had stayed until now. */
  async #endInput(containerId: string): Promise<void> {
    // Where nobody can be connected the start itself tells why.
    const streams = await this.#connect(containerId, { stdin: true }).catch(() => undefined)
    streams?.connection.on('error', () => {}).destroy()
  }

  #serve(client: Duplex, served: Served): void {
    const { container, query, session, streams } = served
    const { id } = container
    const connection = streams?.connection
    this.#count(id, 1)
    const attached: ClientSession = new ClientSession(client, {
      ...session,
      onDetach: () => this.#parts.emit(container, 'detach'),
      onEnd: () => {
        this.#count(id, -1)
        setImmediate(() => this.#stopWaiting(attached, container))
        connection?.destroy()
      },
    })
    if (attached.isOver) return
    attached.logEnd = streams?.logEnd
    const isReplayed = query.logs && (query.stdout || query.stderr)
    const before = isReplayed ? this.#log(attached, served) : nothing()
    const hasOutput = isReplayed || connection !== undefined
    const replayed = hasOutput
      ? attached.replay(afterHead(client, before)).catch(() => attached.end())
      : Promise.resolve()
    if (connection !== undefined) attached.join(connection)
    else if (!query.stream) replayed.then(() => attached.end()).catch(() => attached.end())
    else if (this.#starts.get(id) === served.starts) this.#queue.add(id, attached)
    // It was started between the request and the answer.
    else void this.#joinLate(attached, id)
  }

  /** What it said until now; from there on its own output goes on. */
  async *#log(attached: ClientSession, { container, query, session, streams }: Served): AsyncGenerator<Uint8Array> {
    const { stdout, stderr } = query
    const until = streams === undefined ? undefined : momentOf(this.#parts.now())
    const whole = { follow: false, timestamps: false, details: false, since: undefined, until, tail: undefined }
    const places = { unframed: session.unframed ?? false, end: () => attached.logEnd }
    yield* this.#parts.logs.read(container, { ...whole, stdout, stderr }, places)
  }

  #count(id: string, change: number): void {
    const count = this.clientsOf(id) + change
    if (count > 0) this.#clients.set(id, count)
    else this.#clients.delete(id)
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

interface Served {
  container: ContainerRecord
  query: AttachQuery
  session: SessionOptions
  /** Undefined: it does not run, or nothing but its log was asked for. */
  streams: AttachedStreams | undefined
  /** How often the container's clients had been connected when this one was accepted. */
  starts: number | undefined
}

/** A time as logs write it: they are finer than our clock, so the millisecond that has begun is all counted as past. */
const momentOf = (ms: number): string => new Date(ms + 1).toISOString().replace('Z', '000000Z')

const badKeys = ({ detachKeys }: AttachQuery) => invalidParameter(`Invalid detach keys (${detachKeys}) provided`)

const isUp = ({ state }: ContainerRecord): boolean => state.status === 'running'

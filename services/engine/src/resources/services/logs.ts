// Logs of the tasks of a service as one: lines in the order of their times, each with where it comes from when asked.
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { invalidParameter } from '../../errors.ts'
import { frameHeader } from '../../streams/frames.ts'
import { PulledStream } from '../../streams/pulled-stream.ts'
import { taskIdLabel } from '../../swarm/worker/task-container.ts'
import type { LogsQuery } from '../containers/logs/logs-query.ts'

/** Where a task's lines come from. */
export interface LogSource {
  /** Who they are told to be of. */
  labels: Readonly<Record<string, string>>
  isTty: boolean
  read(query: LogsQuery): Readable
}

export interface TaskLogsParts {
  sources(taskIds: readonly string[]): { here: readonly LogSource[]; missing: readonly string[] }
}

interface Line {
  time: string
  stream: number
  text: Buffer
  labels: LogSource['labels']
}

const headerBytes = 8
/** Clients take what comes on it as an error. */
const systemStream = 3
/** A log that has said nothing for so long is not waited for. */
const patienceMs = 40
const space = 0x20
const detailLabels = ['com.docker.swarm.node.id', 'com.docker.swarm.service.id', taskIdLabel]

export class TaskLogs {
  readonly #parts: TaskLogsParts

  constructor(parts: TaskLogsParts) {
    this.#parts = parts
  }

  open(taskIds: readonly string[], isTty: boolean, query: LogsQuery): Readable {
    if (!query.stdout && !query.stderr) {
      throw invalidParameter('Bad parameters: you must choose at least one stream')
    }
    const { here, missing } = this.#parts.sources(taskIds)
    return new PulledStream((signal) => this.#whole(here, missing, isTty, query, signal))
  }

  /** What is missing is told at the end, as an error of the daemon: clients show it. */
  async *#whole(
    sources: readonly LogSource[],
    missing: readonly string[],
    isTty: boolean,
    query: LogsQuery,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const problems = missing.map((node) => `node ${node} is not available`)
    yield* this.#merged(sources, isTty, query, signal, (problem) => problems.push(problem))
    if (problems.length === 0 || signal.aborted) return
    const why = [...new Set(problems)].join(', ')
    const text = Buffer.from(
      `warning: incomplete log stream. some logs could not be retrieved for the following reasons: ${why}\n`,
    )
    yield isTty ? text : Buffer.concat([frameHeader(systemStream, text.length), text])
  }

  async *#merged(
    given: readonly LogSource[],
    isTty: boolean,
    query: LogsQuery,
    signal: AbortSignal,
    failed: (problem: string) => void,
  ): AsyncGenerator<Uint8Array> {
    const streams = given.map((source) => source.read({ ...query, timestamps: true, details: false }))
    signal.addEventListener(
      'abort',
      () => {
        for (const stream of streams) stream.destroy()
      },
      { once: true },
    )
    const sources = streams.map((stream, index) => {
      const { labels, isTty: isText } = given[index] as LogSource
      return new Source(isText ? textLines(stream, labels) : framedLines(stream, labels), (error) => {
        if (!signal.aborted) failed(error.message)
      })
    })
    for (let line = await first(sources, query.follow); line !== undefined; line = await first(sources, query.follow)) {
      if (signal.aborted) return
      const text = Buffer.concat([Buffer.from(prefixOf(line, query)), line.text])
      yield isTty ? text : Buffer.concat([frameHeader(line.stream, text.length), text])
    }
  }
}

function prefixOf({ time, labels }: Line, { timestamps, details }: LogsQuery): string {
  const told = detailLabels.map((name) => `${name}=${labels[name] ?? ''}`).join(',')
  return `${timestamps ? `${time} ` : ''}${details ? `${told} ` : ''}`
}

/** The next line of one log, as soon as it is there. */
class Source {
  readonly #lines: AsyncGenerator<Line>
  readonly #failed: (error: Error) => void
  line: Line | undefined
  isOver = false
  /** It has nothing just now. */
  isIdle = false
  next: Promise<void>

  constructor(lines: AsyncGenerator<Line>, failed: (error: Error) => void) {
    this.#lines = lines
    this.#failed = failed
    this.next = this.#pull()
  }

  take(): void {
    this.line = undefined
    this.next = this.#pull()
  }

  async #pull(): Promise<void> {
    const { value, done } = await this.#lines.next().catch((error: Error) => {
      this.#failed(error)
      return { value: undefined, done: true }
    })
    this.isIdle = false
    this.isOver = done === true
    this.line = value ?? undefined
  }
}

/** The oldest of the next lines; undefined: all are over. */
async function first(sources: readonly Source[], isFollowing: boolean): Promise<Line | undefined> {
  for (;;) {
    const open = sources.filter(({ isOver }) => !isOver)
    const awaited = open.filter(({ line, isIdle }) => line === undefined && !isIdle)
    if (awaited.length > 0) {
      const all = Promise.all(awaited.map(({ next }) => next))
      await (isFollowing ? Promise.race([all, pause(patienceMs)]) : all)
      for (const source of awaited) if (source.line === undefined && !source.isOver) source.isIdle = isFollowing
    }
    const [oldest] = open
      .filter(({ line }) => line !== undefined)
      .sort((one, other) => ((one.line?.time ?? '') < (other.line?.time ?? '') ? -1 : 1))
    if (oldest?.line !== undefined) {
      const { line } = oldest
      oldest.take()
      return line
    }
    const left = sources.filter(({ isOver }) => !isOver)
    if (left.length === 0) return undefined
    await Promise.race(left.map(({ next }) => next))
  }
}

const splitTime = (bytes: Buffer): { time: string; text: Buffer } => {
  const at = bytes.indexOf(space)
  return { time: bytes.subarray(0, at).toString(), text: bytes.subarray(at + 1) }
}

async function* framedLines(stream: Readable, labels: Line['labels']): AsyncGenerator<Line> {
  let rest = Buffer.alloc(0)
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= headerBytes && rest.length >= headerBytes + rest.readUInt32BE(4)) {
      const end = headerBytes + rest.readUInt32BE(4)
      yield { ...splitTime(rest.subarray(headerBytes, end)), stream: rest[0] ?? 1, labels }
      rest = rest.subarray(end)
    }
  }
}

async function* textLines(stream: Readable, labels: Line['labels']): AsyncGenerator<Line> {
  let rest = Buffer.alloc(0)
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk])
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
      yield { ...splitTime(rest.subarray(0, end + 1)), stream: 1, labels }
      rest = rest.subarray(end + 1)
    }
  }
  if (rest.length > 0) yield { ...splitTime(rest), stream: 1, labels }
}

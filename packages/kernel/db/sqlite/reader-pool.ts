// A few threads for the reads that may take long: started when there is something to read, ended when there was
// nothing for a while.
import { availableParallelism } from 'node:os'
import type { Log } from '../../telemetry/log.ts'
import { TurnLines } from '../../turns/turn-lines.ts'
import { DatabaseOverloaded } from '../overloaded.ts'
import type { Value } from './protocol.ts'
import type { Row } from './reader.ts'
import { ReadingThread } from './reading-thread.ts'

const maxThreads = Math.max(2, Math.min(4, availableParallelism() - 1))
const idleThreadMs = 15_000
/** As for PostgreSQL's statements; waiting for a thread counts too. */
const maxReadMs = 30_000
const maxWaiting = 2_000

interface Read {
  sql: string
  values: readonly Value[]
  /** Whose turn it is. */
  key: string
  resolve(rows: Row[]): void
  reject(error: Error): void
  deadline: NodeJS.Timeout | undefined
}

export class ReaderPool {
  readonly #file: string
  readonly #log: Log
  readonly #waiting = new TurnLines<Read>()
  readonly #running = new Map<Read, ReadingThread>()
  /** Threads with nothing to do, and what ends each of them. */
  readonly #idle = new Map<ReadingThread, NodeJS.Timeout>()
  /** Threads that are coming to their end. */
  readonly #ending = new Set<Promise<void>>()
  #settled: (() => void) | undefined
  #closed = false

  constructor(file: string, log: Log) {
    this.#file = file
    this.#log = log
  }

  read(sql: string, values: readonly Value[]): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new Error('the database is closed')
      if (this.#waiting.size >= maxWaiting) throw new DatabaseOverloaded('too many reads wait for the database')
      const read: Read = { sql, values, key: turnOf(values), resolve, reject, deadline: undefined }
      read.deadline = setTimeout(() => this.#giveUp(read), maxReadMs)
      this.#waiting.add(read.key, read)
      this.#next()
    })
  }

  /** Takes nothing new; what is being read or waits for it comes to its end. */
  async close(): Promise<void> {
    this.#closed = true
    await new Promise<void>((resolve) => {
      this.#settled = resolve
      this.#noticeSettled()
    })
    for (const [thread, timer] of this.#idle) this.#endIdle(thread, timer)
    await Promise.all(this.#ending)
  }

  #next(): void {
    const room = maxThreads - this.#running.size - this.#ending.size
    if (room <= 0) return
    const read = this.#waiting.next((key) => this.#mayRun(key))
    if (read === undefined) return
    const thread = this.#takeIdle() ?? new ReadingThread(this.#file)
    this.#running.set(read, thread)
    void thread
      .read(read.sql, read.values)
      .then(read.resolve, read.reject)
      .finally(() => this.#release(read, thread))
  }

  /** One thread is always left for the others. */
  #mayRun(key: string): boolean {
    let running = 0
    for (const read of this.#running.keys()) if (read.key === key) running++
    return running < maxThreads - 1
  }

  #release(read: Read, thread: ReadingThread): void {
    clearTimeout(read.deadline)
    this.#running.delete(read)
    if (thread.failure) this.#end(thread.ended, thread.failure)
    else this.#keep(thread)
    this.#next()
    this.#noticeSettled()
  }

  #noticeSettled(): void {
    if (this.#running.size + this.#waiting.size === 0) this.#settled?.()
  }

  #keep(thread: ReadingThread): void {
    const timer = setTimeout(() => this.#endIdle(thread, timer), idleThreadMs)
    timer.unref()
    this.#idle.set(thread, timer)
  }

  #takeIdle(): ReadingThread | undefined {
    for (const [thread, timer] of this.#idle) {
      clearTimeout(timer)
      this.#idle.delete(thread)
      if (!thread.failure) return thread
    }
    return undefined
  }

  #endIdle(thread: ReadingThread, timer: NodeJS.Timeout): void {
    clearTimeout(timer)
    this.#idle.delete(thread)
    this.#end(thread.close())
  }

  /** It counts as a thread until it is gone: a step of SQLite cannot be cut short. */
  #end(ended: Promise<void>, failure?: Error): void {
    if (failure) this.#log.error({ err: failure }, 'a database reader ended')
    this.#ending.add(ended)
    void ended.then(() => {
      this.#ending.delete(ended)
      this.#next()
    })
  }

  #giveUp(read: Read): void {
    const error = new DatabaseOverloaded(`a read of the database took longer than ${maxReadMs / 1000} seconds`)
    const thread = this.#running.get(read)
    if (thread) {
      thread.abandon(error)
      return
    }
    this.#waiting.remove(read.key, read)
    read.reject(error)
    this.#noticeSettled()
  }
}

/** Lists begin with whose they are: the first parameter is the project's id, or the organization's. */
const turnOf = ([first]: readonly Value[]): string => (typeof first === 'string' ? first : '')

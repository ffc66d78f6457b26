// The calling thread's side of writing: gathers single writes, lines up turns, settles promises.
import type { QueryResult } from 'kysely'
import type { Log } from '../../telemetry/log.ts'
import { DatabaseOverloaded } from '../overloaded.ts'
import { type Call, SqliteError, type Statement, settleCall, TextNumbers } from './calls.ts'
import type { Reply, Result, Value } from './protocol.ts'
import { Settler } from './settler.ts'
import { WriterThread } from './thread.ts'
import { Turn, type TurnHost } from './turn.ts'
import { WriterLoad } from './writer-load.ts'

interface Waiter<T> {
  resolve(value: T): void
  reject(error: Error): void
}

interface WaitingTurn extends Waiter<Turn> {
  /** It begins when what was written before it is durable, and others go first meanwhile. */
  isLarge: boolean
  /** So many commits it has waited for that. */
  commits: number
}

const pingTimeoutMs = 5_000
const maxWaitingTurns = 20_000
/** While others go on writing there is always something that is not durable yet. */
const maxCommitsBeforeLarge = 4

export class Writer implements TurnHost {
  readonly #thread: WriterThread
  readonly #texts = new TextNumbers()
  readonly #load = new WriterLoad()
  readonly #settler = new Settler(() => this.#flush())
  readonly #opened = Promise.withResolvers<void>()
  /** Single writes not yet sent, and those sent and not yet durable. */
  #gathered: Call[] = []
  #sent: Call[] = []
  #flushScheduled = false
  #promisedMore = false
  #turn: Turn | undefined
  #waitingTurns: WaitingTurn[] = []
  /** Calls of turns waiting for their result, and ended turns waiting for their commit; both in order. */
  #turnCalls: Call[] = []
  #endedTurns: Waiter<void>[] = []
  #pings: Waiter<void>[] = []
  #gone: Error | undefined
  #drained: Waiter<void> | undefined

  /** `lost` is called when the thread ends by itself, once all who wait were told. */
  static async start(file: string, log: Log, lost: (error: Error) => void): Promise<Writer> {
    const writer = new Writer(file, log, lost)
    await writer.#opened.promise
    return writer
  }

  private constructor(file: string, log: Log, lost: (error: Error) => void) {
    this.#thread = new WriterThread(file, log, {
      reply: (reply) => this.#receive(reply),
      gone: (error) => this.#failAll(error),
      lost,
    })
  }

  /** A single write: durable when the promise resolves. */
  write(sql: string, values: readonly Value[]): Promise<QueryResult<never>> {
    return new Promise((resolve, reject) => {
      this.#refuseWhenClosed()
      const bytes = this.#load.admit(values)
      this.#gathered.push({ statements: [{ sql, values }], isBatch: false, bytes, resolve, reject })
      if (this.#flushScheduled) return
      this.#flushScheduled = true
      setImmediate(() => {
        this.#flushScheduled = false
        this.#flush()
      })
    })
  }

  /** Statements that are kept together or not at all: durable when the promise resolves. */
  writeBatch(statements: readonly Statement[]): Promise<QueryResult<never>> {
    return new Promise((resolve, reject) => {
      this.#refuseWhenClosed()
      const bytes = this.#load.admit(...statements.map(({ values }) => values))
      this.#gathered.push({ statements, isBatch: true, bytes, resolve, reject })
      this.#flush()
    })
  }

  /** Waits for an exclusive turn. */
  turn(isLarge = false): Promise<Turn> {
    return new Promise((resolve, reject) => {
      this.#refuseWhenClosed()
      if (this.#waitingTurns.length >= maxWaitingTurns) {
        throw new DatabaseOverloaded('too many transactions wait for the database')
      }
      this.#waitingTurns.push({ resolve, reject, isLarge, commits: 0 })
      this.#beginNextTurn()
    })
  }

  send(sql: string, values: readonly Value[], begin: boolean): Promise<QueryResult<never>> {
    return new Promise((resolve, reject) => {
      if (this.#gone) throw this.#gone
      const bytes = this.#load.admit(values)
      const call = { statements: [{ sql, values }], isBatch: false, bytes, resolve, reject }
      this.#load.sent(call)
      this.#turnCalls.push(call)
      this.#thread.post({ kind: 'turn', begin, ...this.#texts.encode([call]) })
    })
  }

  end(turn: Turn, commit: boolean): Promise<void> {
    if (this.#gone) return Promise.reject(this.#gone)
    const durable = turn.begun ? this.#postEnd(commit) : Promise.resolve()
    this.#turn = undefined
    this.#flush()
    this.#beginNextTurn()
    this.#noticeDrained()
    return durable
  }

  /** Resolves when the writer thread answers. */
  async ping(): Promise<void> {
    const answer = Promise.withResolvers<void>()
    this.#refuseWhenClosed()
    const timeout = setTimeout(
      () => answer.reject(new Error(`the database writer did not answer within ${pingTimeoutMs / 1000} seconds`)),
      pingTimeoutMs,
    )
    this.#pings.push(answer)
    this.#thread.post({ kind: 'ping' })
    await answer.promise.finally(() => clearTimeout(timeout))
  }

  /** Takes nothing new, and resolves when all that is under way has finished. */
  async drain(): Promise<void> {
    const drained = Promise.withResolvers<void>()
    this.#drained = drained
    if (this.#gone) return
    this.#noticeDrained()
    await drained.promise
  }

  async close(): Promise<void> {
    if (!this.#gone) await this.#thread.close()
  }

  #postEnd(commit: boolean): Promise<void> {
    const more = this.#mayShare || this.#gathered.length > 0
    return new Promise((resolve, reject) => {
      this.#endedTurns.push({ resolve, reject })
      this.#thread.post({ kind: 'end', commit, more })
    })
  }

  /**
   * Sends the gathered single writes, unless they would land inside a turn: its end sends them. What the thread has no
   * room for goes when a group is durable.
   */
  #flush(): void {
    if (this.#turn?.begun || this.#gone) return
    while (this.#gathered.length > 0 && this.#load.hasRoom) {
      const calls = this.#load.nextMessage(this.#gathered)
      this.#sent = this.#sent.length === 0 ? calls : this.#sent.concat(calls)
      this.#post(calls, this.#gathered.length > 0 ? this.#load.hasRoom : this.#expectsMore)
    }
    if (this.#promisedMore && this.#gathered.length === 0 && !this.#expectsMore) this.#post([], false)
  }

  get #expectsMore(): boolean {
    return this.#settler.busy || (!this.#turn && this.#mayShare)
  }

  /** Whether there is a turn for which others may wait with their commit. */
  get #mayShare(): boolean {
    return this.#waitingTurns.some(({ isLarge }) => !isLarge)
  }

  #post(calls: readonly Call[], more: boolean): void {
    this.#promisedMore = more
    this.#thread.post({ kind: 'singles', more, ...this.#texts.encode(calls) })
  }

  #beginNextTurn(): void {
    if (this.#turn) return
    const next = this.#takeNextTurn()
    if (!next) return
    this.#turn = new Turn(this)
    next.resolve(this.#turn)
  }

  #takeNextTurn(): WaitingTurn | undefined {
    const [first] = this.#waitingTurns
    const isCommitting = this.#endedTurns.length + this.#sent.length > 0
    const isHeld = first?.isLarge && isCommitting && first.commits < maxCommitsBeforeLarge
    if (!isHeld) return this.#waitingTurns.shift()
    const at = this.#waitingTurns.findIndex(({ isLarge }) => !isLarge)
    return at === -1 ? undefined : this.#waitingTurns.splice(at, 1)[0]
  }

  #receive(reply: Reply): void {
    if (reply.kind === 'opened') this.#opened.resolve()
    else if (reply.kind === 'pong') this.#pings.shift()?.resolve()
    else if (reply.kind === 'group') this.#settleGroup(reply)
    else this.#settleTurnCall(reply.result)
    this.#noticeDrained()
  }

  #settleTurnCall(result: Result): void {
    const call = this.#turnCalls.shift() as Call
    this.#load.done(call)
    settleCall(call, result)
  }

  #settleGroup({ results, turns, failure }: Extract<Reply, { kind: 'group' }>): void {
    const singles = this.#sent.slice(0, results.length)
    this.#sent = this.#sent.slice(results.length)
    for (const call of singles) this.#load.done(call)
    for (const waiter of this.#endedTurns.splice(0, turns)) {
      if (failure) waiter.reject(new SqliteError(failure))
      else waiter.resolve()
    }
    this.#settler.settle(singles, failure ? results.map(() => failure) : results)
    if (this.#gathered.length > 0) this.#flush()
    const [next] = this.#waitingTurns
    if (next) next.commits++
    this.#beginNextTurn()
  }

  #noticeDrained(): void {
    if (!this.#drained || this.#turn || this.#waitingTurns.length > 0) return
    this.#flush()
    if (this.#gathered.length + this.#sent.length + this.#turnCalls.length + this.#endedTurns.length === 0)
      this.#drained.resolve()
  }

  #refuseWhenClosed(): void {
    if (this.#gone) throw this.#gone
    if (this.#drained) throw new Error('the database is closed')
  }

  /** Everyone who waits is told, and everyone who comes later. */
  #failAll(error: Error): void {
    if (this.#gone) return
    this.#gone = error
    this.#opened.reject(error)
    this.#turn?.fail(error)
    const waiting = [this.#gathered, this.#sent, this.#turnCalls, this.#waitingTurns, this.#endedTurns, this.#pings]
    for (const waiter of waiting.flat()) waiter.reject(error)
    this.#drained?.resolve()
  }
}

// What the writer thread does with one file. It gathers what arrives while it is busy into one physical transaction:
// one COMMIT, one fsync, then one reply to all.
import { DatabaseSync } from 'node:sqlite'
import { Group, maxGroupMs } from './group.ts'
import { configureWriter } from './pragmas.ts'
import { PreparedStatements } from './prepared.ts'
import { batchMark, type Calls, type Failure, type Reply, type Result, type WriteRequest } from './protocol.ts'

export class Writing {
  readonly #db: DatabaseSync
  readonly #reply: (reply: Reply) => void
  readonly #prepared: PreparedStatements
  readonly #group: Group
  /** Inside a turn nothing is committed: the turn is a savepoint within the group's transaction. */
  #turnOpen = false
  #moreFollows = false
  #deadline: NodeJS.Timeout | undefined

  constructor(file: string, reply: (reply: Reply) => void) {
    this.#db = new DatabaseSync(file)
    configureWriter(this.#db)
    this.#reply = reply
    this.#prepared = new PreparedStatements(this.#db)
    this.#group = new Group(this.#db, reply)
  }

  /** What is there already is taken before anything is committed. */
  get wantsMore(): boolean {
    return this.#turnOpen || !this.#group.isFull
  }

  handle(request: WriteRequest): void {
    if (request.kind === 'singles') this.#runSingles(request, request.more)
    else if (request.kind === 'turn') this.#runInTurn(request, request.begin)
    else if (request.kind === 'end') this.#endTurn(request.commit, request.more)
    else this.#reply({ kind: 'pong' })
  }

  /** Commits, unless a turn is open or it pays to wait for what was promised. */
  settle(): void {
    if (this.#turnOpen || this.#group.isEmpty) return
    if (this.#moreFollows && this.#group.gainsByWaiting && !this.#group.isFull) {
      this.#deadline ??= setTimeout(() => this.#commitLate(), maxGroupMs)
      return
    }
    clearTimeout(this.#deadline)
    this.#deadline = undefined
    this.#group.commit()
  }

  close(): void {
    clearTimeout(this.#deadline)
    if (!this.#group.isEmpty) this.#group.commit()
    this.#db.close()
  }

  #runSingles(calls: Calls, more: boolean): void {
    this.#moreFollows = more
    this.#prepared.learn(calls)
    if (calls.calls.length === 0) return
    const lost = this.#runCalls(calls, this.#group.begin(), (result) => this.#group.addSingle(result))
    if (lost) this.#group.fail(lost)
  }

  #runInTurn(calls: Calls, isFirst: boolean): void {
    this.#prepared.learn(calls)
    let failure: Failure | undefined
    if (isFirst) {
      failure = this.#group.begin() ?? this.#group.attempt('SAVEPOINT turn')
      this.#turnOpen = failure === undefined
    } else if (!this.#turnOpen) {
      failure = { message: 'the transaction was lost by an earlier error' }
    }
    const lost = this.#runCalls(calls, failure, (result) => this.#reply({ kind: 'result', result }))
    if (!lost || !this.#turnOpen) return
    this.#turnOpen = false
    this.#group.fail(lost)
  }

  #endTurn(commit: boolean, more: boolean): void {
    this.#moreFollows = more
    this.#group.addTurn()
    if (!this.#turnOpen) return
    this.#turnOpen = false
    const rolledBack = commit ? undefined : this.#group.attempt('ROLLBACK TO turn')
    const failure = rolledBack ?? this.#group.attempt('RELEASE turn')
    if (failure) this.#group.fail(failure)
  }

  /**
   * Runs the calls, or fails them all with `failure`. On some errors (disk full) SQLite gives up the whole transaction:
   * then the calls after it must not run on their own, and the error is returned.
   */
  #runCalls(request: Calls, failure: Failure | undefined, tell: (result: Result) => void): Failure | undefined {
    this.#group.addValues(request.values)
    const { calls, values } = request
    let lost = failure
    let call = 0
    let at = 0
    const runNext = (before: Failure | undefined): Result => {
      const [number = -1, count = 0] = [calls[call], calls[call + 1]]
      call += 2
      at += count
      return before ?? this.#prepared.run(number, values.slice(at - count, at))
    }
    while (call < calls.length) {
      const size = calls[call] === batchMark ? (calls[call + 1] ?? 0) : undefined
      if (size !== undefined) call += 2
      const result = size === undefined ? runNext(lost) : this.#runBatch(size, lost, runNext)
      if (isFailure(result) && !this.#db.isTransaction) lost = result
      tell(result)
    }
    return lost
  }

  /** All of them, or none. They only write: nobody could see what they give back. */
  #runBatch(
    size: number,
    lost: Failure | undefined,
    runNext: (before: Failure | undefined) => Result,
  ): number | Failure {
    let failure = lost ?? this.#group.attempt('SAVEPOINT batch')
    const isOpen = failure === undefined
    let changed = 0
    for (let n = 0; n < size; n++) {
      const result = runNext(failure)
      if (typeof result === 'number') changed += result
      else failure = isFailure(result) ? result : { message: 'a statement of a batch only writes; this one gives rows' }
    }
    if (isOpen && this.#db.isTransaction) {
      if (failure !== undefined) this.#group.attempt('ROLLBACK TO batch')
      const unreleased = this.#group.attempt('RELEASE batch')
      failure ??= unreleased
    }
    return failure ?? changed
  }

  #commitLate(): void {
    this.#moreFollows = false
    this.#deadline = undefined
    this.settle()
  }
}

const isFailure = (result: Result): result is Failure => typeof result === 'object' && 'message' in result

// The one thread that writes. It gathers what arrives while it is busy into one physical transaction:
// one COMMIT, one fsync, then one reply to all. Its imports are few because every thread pays for its own.

import { DatabaseSync } from 'node:sqlite'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { settleMemorySoon } from '../../telemetry/settle-memory.ts'
import { Group, maxGroupMs } from './group.ts'
import { configureWriter } from './pragmas.ts'
import { PreparedStatements } from './prepared.ts'
import { batchMark, type Calls, type Failure, type Reply, type Request, type Result } from './protocol.ts'

if (!parentPort) throw new Error('the writer runs as a worker thread')
const port = parentPort
const db = new DatabaseSync(workerData as string)
configureWriter(db)
const prepared = new PreparedStatements(db)
const group = new Group(db, reply)

/** Inside a turn nothing is committed: the turn is a savepoint within the group's transaction. */
let turnOpen = false
let moreFollows = false
let deadline: NodeJS.Timeout | undefined

port.on('message', (request: Request) => {
  handle(request)
  while (turnOpen || !group.isFull) {
    const next = receiveMessageOnPort(port)
    if (!next) break
    handle(next.message)
  }
  settle()
})
reply({ kind: 'opened' })

function reply(message: Reply): void {
  port.postMessage(message)
}

function handle(request: Request): void {
  if (request.kind === 'singles') runSingles(request, request.more)
  else if (request.kind === 'turn') runInTurn(request, request.begin)
  else if (request.kind === 'end') endTurn(request.commit, request.more)
  else if (request.kind === 'ping') reply({ kind: 'pong' })
  else close()
}

function runSingles(calls: Calls, more: boolean): void {
  moreFollows = more
  prepared.learn(calls)
  if (calls.calls.length === 0) return
  const lost = runCalls(calls, group.begin(), (result) => group.addSingle(result))
  if (lost) group.fail(lost)
}

function runInTurn(calls: Calls, isFirst: boolean): void {
  prepared.learn(calls)
  let failure: Failure | undefined
  if (isFirst) {
    failure = group.begin() ?? group.attempt('SAVEPOINT turn')
    turnOpen = failure === undefined
  } else if (!turnOpen) {
    failure = { message: 'the transaction was lost by an earlier error' }
  }
  const lost = runCalls(calls, failure, (result) => reply({ kind: 'result', result }))
  if (!lost || !turnOpen) return
  turnOpen = false
  group.fail(lost)
}

function endTurn(commit: boolean, more: boolean): void {
  moreFollows = more
  group.addTurn()
  if (!turnOpen) return
  turnOpen = false
  const rolledBack = commit ? undefined : group.attempt('ROLLBACK TO turn')
  const failure = rolledBack ?? group.attempt('RELEASE turn')
  if (failure) group.fail(failure)
}

/**
 * Runs the calls, or fails them all with `failure`. On some errors (disk full) SQLite gives up the whole transaction:
 * then the calls after it must not run on their own, and the error is returned.
 */
function runCalls(request: Calls, failure: Failure | undefined, tell: (result: Result) => void): Failure | undefined {
  group.addValues(request.values)
  const { calls, values } = request
  let lost = failure
  let call = 0
  let at = 0
  const runNext = (before: Failure | undefined): Result => {
    const [number = -1, count = 0] = [calls[call], calls[call + 1]]
    call += 2
    at += count
    return before ?? prepared.run(number, values.slice(at - count, at))
  }
  while (call < calls.length) {
    const size = calls[call] === batchMark ? (calls[call + 1] ?? 0) : undefined
    if (size !== undefined) call += 2
    const result = size === undefined ? runNext(lost) : runBatch(size, lost, runNext)
    if (isFailure(result) && !db.isTransaction) lost = result
    tell(result)
  }
  return lost
}

/** All of them, or none. They only write: nobody could see what they give back. */
function runBatch(
  size: number,
  lost: Failure | undefined,
  runNext: (before: Failure | undefined) => Result,
): number | Failure {
  let failure = lost ?? group.attempt('SAVEPOINT batch')
  const isOpen = failure === undefined
  let changed = 0
  for (let n = 0; n < size; n++) {
    const result = runNext(failure)
    if (typeof result === 'number') changed += result
    else failure = isFailure(result) ? result : { message: 'a statement of a batch only writes; this one gives rows' }
  }
  if (isOpen && db.isTransaction) {
    if (failure !== undefined) group.attempt('ROLLBACK TO batch')
    const unreleased = group.attempt('RELEASE batch')
    failure ??= unreleased
  }
  return failure ?? changed
}

const isFailure = (result: Result): result is Failure => typeof result === 'object' && 'message' in result

/** Commits, unless a turn is open or it pays to wait for what was promised. */
function settle(): void {
  if (turnOpen || group.isEmpty) return
  if (moreFollows && group.gainsByWaiting && !group.isFull) {
    deadline ??= setTimeout(commitLate, maxGroupMs)
    return
  }
  clearTimeout(deadline)
  deadline = undefined
  group.commit()
}

function commitLate(): void {
  moreFollows = false
  deadline = undefined
  settle()
}

function close(): void {
  if (!group.isEmpty) group.commit()
  db.close()
  port.close()
}

settleMemorySoon()

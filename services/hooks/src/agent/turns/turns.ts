// Performs turns: each is one run of the platform, found again after a crash instead of made twice.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { Run } from 'openai/resources/beta/threads/runs/runs'
import type { Platform } from '../platform/platform.ts'
import { isMissing, PlatformAway, PlatformRefused, ThreadBusy } from '../platform/problems.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { ToolConfig } from '../tools/config.ts'
import { offeredTools, platformTool } from '../tools/offered.ts'
import type { ToolCalls } from '../tools/tool-calls.ts'
import { followRun } from './follow-run.ts'
import { pause } from './pause.ts'
import { changeTurn, type TurnRow } from './store.ts'
import { messagesOf, RunFailed, requestOf, type TurnResult } from './turn.ts'

/** Runs that fail by a fault of the model's server; then the turn has failed. */
const maxRuns = 3
const busyPauseMs = 1_000
/** No run of the platform lives longer than ten minutes. */
const maxBusyMs = 11 * 60 * 1000
const passingFailures = ['server_error', 'rate_limit_exceeded']

interface Parts {
  db: Database
  clock: Clock
  platform: Platform
  sessions: Sessions
  calls: ToolCalls
  tools: readonly ToolConfig[]
}

export interface Watcher {
  signal: AbortSignal
  tell(event: { type: string; [detail: string]: unknown }): Promise<void>
}

export class Turns {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Throws when the attempt failed and another may succeed; the turn then goes on where it stopped. */
  async perform(turn: TurnRow, watcher: Watcher): Promise<TurnResult> {
    try {
      const run = await this.#open(turn, watcher)
      const ended = await this.#follow(turn, run, watcher)
      return await this.#result(turn, ended)
    } catch (error) {
      watcher.signal.throwIfAborted()
      if (!(error instanceof PlatformRefused)) throw error
      return { status: 'failed', texts: [], error: error.message }
    }
  }

  /** The run under way; else the one whose making was noted and not seen; else a new one. */
  async #open(turn: TurnRow, watcher: Watcher): Promise<Run> {
    const { platform } = this.#parts
    if (turn.thread_id !== null && turn.run_id !== null) {
      const known = await platform.getRun(turn.thread_id, turn.run_id).catch(missingAsUndefined)
      if (known !== undefined) return known
    }
    const threadId = await this.#attach(turn)
    const waitUntil = this.#parts.clock.now() + maxBusyMs
    for (;;) {
      const number = turn.runs + 1
      const found = await platform.findRun(threadId, turn.id, number)
      if (found !== undefined) return this.#noteRun(turn, found, found.created_at * 1000)
      try {
        const made = await this.#create(turn, threadId, number)
        const run = await this.#noteRun(turn, made, this.#parts.clock.now())
        await watcher.tell({ type: 'run.created', threadId, runId: run.id, model: run.model })
        return run
      } catch (error) {
        if (!(error instanceof ThreadBusy)) throw error
        if (this.#parts.clock.now() > waitUntil) throw new PlatformAway(error.message)
      }
      await pause(busyPauseMs, watcher.signal)
    }
  }

  /** The thread is the session's of now; whatever trust the turn lacks, its thread lacks from here on. */
  async #attach(turn: TurnRow): Promise<string> {
    const { db, platform, sessions } = this.#parts
    if (turn.thread_id !== null && (await platform.hasThread(turn.thread_id))) return turn.thread_id
    const threadId = await sessions.thread(turn.session_id)
    await db.transaction(async (tx) => {
      await sessions.taint(tx, turn.session_id, turn.trust)
      await changeTurn(tx, turn.id, { thread_id: threadId, run_id: null, runs: 0 })
    })
    turn.thread_id = threadId
    turn.run_id = null
    turn.runs = 0
    return threadId
  }

  #create(turn: TurnRow, threadId: string, number: number): Promise<Run> {
    const { platform, tools } = this.#parts
    const { prompt, model, instructions, tools: names } = requestOf(turn)
    return platform.createRun(threadId, {
      ...{ turnId: turn.id, number, model, instructions },
      // The message came into the thread with the first run.
      messages: number === 1 ? messagesOf(prompt) : [],
      tools: offeredTools(tools, turn.trust, names).map(platformTool),
    })
  }

  async #noteRun(turn: TurnRow, run: Run, bornAt: number): Promise<Run> {
    const deadline_at = bornAt + requestOf(turn).timeoutSeconds * 1000
    await changeTurn(this.#parts.db.queries, turn.id, { run_id: run.id, deadline_at })
    turn.run_id = run.id
    turn.deadline_at = deadline_at
    return run
  }

  #follow(turn: TurnRow, run: Run, { signal, tell }: Watcher): Promise<Run> {
    const { platform, clock, calls, tools } = this.#parts
    const offered = offeredTools(tools, turn.trust, requestOf(turn).tools)
    return followRun(run, {
      ...{ platform, clock, signal },
      deadlineAt: turn.deadline_at ?? clock.now() + requestOf(turn).timeoutSeconds * 1000,
      async answer(call, callSignal) {
        await tell({ type: 'tool.called', name: call.function.name })
        return calls.answer(call, { turnId: turn.id, tools: offered, signal: callSignal })
      },
    })
  }

  async #result(turn: TurnRow, run: Run): Promise<TurnResult> {
    const place = { threadId: run.thread_id, runId: run.id, model: run.model }
    const texts = await this.#parts.platform.texts(run.thread_id, run.id)
    const isLate = (turn.deadline_at ?? 0) <= this.#parts.clock.now()
    if (run.status === 'completed') return { status: 'completed', texts, ...place }
    if (run.status === 'expired' || (run.status === 'cancelled' && isLate)) {
      const error = `the run was ended after ${requestOf(turn).timeoutSeconds} s`
      return { status: 'timed_out', texts, error: run.status === 'expired' ? 'the run expired' : error, ...place }
    }
    if (run.status === 'failed') await this.#retryIfPassing(turn, run)
    return { status: 'failed', texts, error: failureOf(run), ...place }
  }

  /** Another run, later: unless tools were called, which must not happen twice. */
  async #retryIfPassing(turn: TurnRow, run: Run): Promise<void> {
    const runs = turn.runs + 1
    if (runs >= maxRuns || !passingFailures.includes(run.last_error?.code ?? '')) return
    if (await this.#parts.calls.hasAny(turn.id)) return
    await changeTurn(this.#parts.db.queries, turn.id, { run_id: null, deadline_at: null, runs })
    throw new RunFailed(failureOf(run))
  }
}

function failureOf({ status, last_error, incomplete_details }: Run): string {
  if (last_error !== null) return last_error.message
  if (status === 'incomplete') return `the answer was cut off: ${incomplete_details?.reason ?? 'no reason given'}`
  return `the run ended as ${status}`
}

function missingAsUndefined(error: unknown): undefined {
  if (!isMissing(error)) throw error
  return undefined
}

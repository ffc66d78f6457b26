// Waits for the end of a run, answers its calls, and ends it when its time is over.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Run } from 'openai/resources/beta/threads/runs/runs'
import type { Platform, ToolOutput } from '../platform/platform.ts'
import { PlatformAway, PlatformRefused } from '../platform/problems.ts'
import type { AskedCall } from '../tools/tool-calls.ts'
import { pause } from './pause.ts'

const firstPauseMs = 50
const longestPauseMs = 1_000
const pauseGrowth = 1.5
/** A run that was told to stop has stopped by then. */
const cancelGraceMs = 60_000

export interface Following {
  platform: Platform
  clock: Clock
  deadlineAt: number
  signal: AbortSignal
  answer(call: AskedCall, signal: AbortSignal): Promise<ToolOutput>
}

export async function followRun(begun: Run, following: Following): Promise<Run> {
  const { platform, clock, deadlineAt, signal } = following
  const { id, thread_id } = begun
  let run = begun
  let pauseMs = firstPauseMs
  let isCancelled = false
  for (;;) {
    if (isOver(run)) return run
    const now = clock.now()
    if (!isCancelled && now >= deadlineAt) {
      await platform.cancelRun(thread_id, id)
      isCancelled = true
      pauseMs = firstPauseMs
    } else if (run.status === 'requires_action' && !isCancelled) {
      await answerCalls(run, following)
      pauseMs = firstPauseMs
    } else if (now >= deadlineAt + cancelGraceMs) {
      throw new PlatformAway(`The run ${id} was cancelled and does not end.`)
    }
    await pause(Math.min(pauseMs, Math.max(1, isCancelled ? pauseMs : deadlineAt - now)), signal)
    pauseMs = Math.min(longestPauseMs, pauseMs * pauseGrowth)
    run = await platform.getRun(thread_id, id)
  }
}

const over = ['completed', 'failed', 'cancelled', 'expired', 'incomplete']
const isOver = ({ status }: Run): boolean => over.includes(status)

async function answerCalls(run: Run, { platform, answer, deadlineAt, clock, signal }: Following): Promise<void> {
  const calls = run.required_action?.submit_tool_outputs.tool_calls ?? []
  const timeout = AbortSignal.timeout(Math.max(1, deadlineAt - clock.now()))
  const outputs: ToolOutput[] = []
  for (const call of calls) {
    try {
      outputs.push(await answer(call, AbortSignal.any([signal, timeout])))
    } catch (error) {
      if (signal.aborted || !timeout.aborted) throw error
      return // the run is ended next
    }
  }
  try {
    await platform.submit(run.thread_id, run.id, outputs)
  } catch (error) {
    // They arrived before, or the run has ended meanwhile: its state tells.
    if (!(error instanceof PlatformRefused)) throw error
    const { status } = await platform.getRun(run.thread_id, run.id)
    if (status === 'requires_action') throw error
  }
}

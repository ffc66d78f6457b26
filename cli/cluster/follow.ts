// Waits for the end of an action. Ctrl-C leaves the action running.
import { setTimeout } from 'node:timers/promises'
import type { ActionObject } from '@atoll/cluster/resources/actions/schema'
import { CommandProblem } from '../command-problem.ts'
import { ActionProgress } from './action-progress.ts'
import type { ClusterServer } from './cluster-server.ts'

const interruptedCode = 130
const firstPauseMs = 100
const longestPauseMs = 1_000

/** Aborted by Ctrl-C, which no longer ends the program. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const event of ['SIGINT', 'SIGTERM'] as const) process.once(event, () => stop.abort())
  return stop.signal
}

/** Undefined when the person has left. */
export async function follow(
  server: ClusterServer,
  uid: string,
  { url, signal }: { url: string | undefined; signal: AbortSignal },
): Promise<ActionObject | undefined> {
  const progress = new ActionProgress(process.stderr)
  const command = `./atoll cluster action ${uid} --follow${url === undefined ? '' : ` --url ${url}`}`
  try {
    return await waitForEnd(server, uid, progress, signal)
  } catch (error) {
    progress.close()
    if (!signal.aborted) throw error
    process.stderr.write(`It goes on without you. To follow it: ${command}\n`)
    process.exitCode = interruptedCode
    return undefined
  } finally {
    progress.close()
  }
}

/** A server that goes away for a while does not end the waiting: its actions go on when it is back. */
async function waitForEnd(
  server: ClusterServer,
  uid: string,
  progress: ActionProgress,
  signal: AbortSignal,
): Promise<ActionObject> {
  let isAway = false
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 1.1, longestPauseMs)) {
    signal.throwIfAborted()
    try {
      const action = await server.get<ActionObject>(`/v1/actions/${encodeURIComponent(uid)}`, signal)
      isAway = false
      progress.show(action)
      if (action.status === 'completed' || action.status === 'failed') return action
    } catch (error) {
      if (!(error instanceof CommandProblem) || !error.passes) throw error
      if (!isAway) progress.note(`Waiting, since ${error.message}`)
      isAway = true
    }
    await setTimeout(pause, undefined, { signal })
  }
}

// Whether a task that has ended is replaced, and when.
import type { KeptService, KeptTask } from '../store/objects.ts'
import { hasFailed, isJob } from './task-states.ts'

const nanosPerMs = 1e6
const defaultDelayMs = 5_000

export interface Restart {
  /** Milliseconds. */
  at: number
  /** With this one. */
  restarts: number[]
}

/** Undefined: its place stays as it is. */
export function restartOf(service: KeptService, task: KeptTask, nowMs: number): Restart | undefined {
  const policy = service.Spec.TaskTemplate?.RestartPolicy
  const condition = policy?.Condition || (isJob(service) ? 'on-failure' : 'any')
  if (condition === 'none' || (condition === 'on-failure' && !hasFailed(task))) return undefined
  const windowMs = (policy?.Window ?? 0) / nanosPerMs
  const before = (task.restarts ?? []).filter((time) => windowMs === 0 || time > nowMs - windowMs)
  const max = policy?.MaxAttempts ?? 0
  if (max > 0 && before.length >= max) return undefined
  const delayMs = policy?.Delay === undefined ? defaultDelayMs : policy.Delay / nanosPerMs
  // More than can be counted against need not be remembered.
  return { at: nowMs + delayMs, restarts: max > 0 ? [...before, nowMs].slice(-max) : [] }
}

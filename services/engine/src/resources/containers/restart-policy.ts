// Whether a container that ended runs again, and after how long.
import type { ContainerRecord } from './record.ts'

const firstDelayMs = 100
const longestDelayMs = 60_000
/** A run of this length was no failure of the start: the delays begin anew. */
const steadyRunMs = 10_000

const names = ['', 'no', 'always', 'on-failure', 'unless-stopped']

type Policy = { Name?: string | undefined; MaximumRetryCount?: number | undefined } | undefined

export function restartPolicyProblems(policy: Policy): string[] {
  const { Name: name = '', MaximumRetryCount: retries = 0 } = policy ?? {}
  if (!names.includes(name)) {
    return [
      `invalid restart policy: unknown policy '${name}'; use one of 'no', 'always', 'on-failure', or 'unless-stopped'`,
    ]
  }
  if (retries !== 0 && name !== 'on-failure') {
    return [`invalid restart policy: maximum retry count can only be used with 'on-failure'`]
  }
  return retries < 0 ? ['invalid restart policy: maximum retry count cannot be negative'] : []
}

export const hasRestartPolicy = (policy: Policy): boolean => !['', 'no'].includes(policy?.Name ?? '')

export function shouldRestart(record: ContainerRecord, exitCode: number): boolean {
  const { Name: name, MaximumRetryCount: retries = 0 } = record.hostConfig.RestartPolicy ?? {}
  if (name === 'always') return true
  if (name === 'unless-stopped') return !record.state.stoppedByCaller
  return name === 'on-failure' && exitCode !== 0 && (retries === 0 || record.restartCount < retries)
}

export function nextDelayMs(lastDelayMs: number, ranMs: number): number {
  if (lastDelayMs === 0 || ranMs >= steadyRunMs) return firstDelayMs
  return Math.min(lastDelayMs * 2, longestDelayMs)
}

// Runs a container's health check again and again, and keeps its last results.
import type { Container } from './container.ts'
import { type HealthPlan, runProbe } from './health-probe.ts'
import type { HealthProbe, HealthState } from './record.ts'
import type { ContainerConfig } from './schema.ts'
import type { World } from './world.ts'

const nanosecondsPerMillisecond = 1e6
const keptResults = 5

const defaultShell = ['/bin/sh', '-c']

/** Undefined: there is no check. */
export function planHealthChecks({ Healthcheck: check, Shell: shell }: ContainerConfig): HealthPlan | undefined {
  const [kind, ...words] = check?.Test ?? []
  if (check === undefined || kind === undefined || kind === 'NONE' || words.length === 0) return undefined
  const milliseconds = (nanoseconds: number | undefined, otherwise: number): number =>
    nanoseconds ? nanoseconds / nanosecondsPerMillisecond : otherwise
  return {
    command: kind === 'CMD-SHELL' ? [...(shell ?? defaultShell), words[0] ?? ''] : words,
    intervalMs: milliseconds(check.Interval, 30_000),
    timeoutMs: milliseconds(check.Timeout, 30_000),
    retries: check.Retries || 3,
    startPeriodMs: milliseconds(check.StartPeriod, 0),
    startIntervalMs: milliseconds(check.StartInterval, 5_000),
  }
}

/** Failures of the start period do not count until a check has succeeded. */
export function judge(health: HealthState, probe: HealthProbe, plan: HealthPlan, sinceStartMs: number): HealthState {
  const Log = [...health.Log, probe].slice(-keptResults)
  if (probe.ExitCode === 0) return { Status: 'healthy', FailingStreak: 0, Log }
  if (health.Status === 'starting' && sinceStartMs < plan.startPeriodMs) return { ...health, Log }
  const FailingStreak = health.FailingStreak + 1
  return { Status: FailingStreak >= plan.retries ? 'unhealthy' : health.Status, FailingStreak, Log }
}

/** Until the run ends. */
export function startHealthChecks(world: World, container: Container): void {
  container.stopHealthChecks?.()
  const plan = planHealthChecks(container.record.config)
  const { run } = container
  if (plan === undefined || run === undefined) return
  container.note({ health: { Status: 'starting', FailingStreak: 0, Log: [] } })
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  container.stopHealthChecks = () => {
    isOver = true
    clearTimeout(timer)
    container.stopHealthChecks = undefined
  }
  const isStarting = (): boolean =>
    container.state.health?.Status === 'starting' && world.now() - run.startedAtMs < plan.startPeriodMs
  const planNext = (): void => {
    if (isOver) return
    timer = setTimeout(
      () => void check(),
      isStarting() ? Math.min(plan.startIntervalMs, plan.intervalMs) : plan.intervalMs,
    )
    timer.unref()
  }
  const check = async (): Promise<void> => {
    if (container.state.status === 'running') {
      const probe = await runProbe(world, container.record, plan)
      if (!isOver && container.run === run) await record(world, container, probe, plan)
    }
    planNext()
  }
  planNext()
}

async function record(world: World, container: Container, probe: HealthProbe, plan: HealthPlan): Promise<void> {
  const before = container.state.health ?? { Status: 'starting', FailingStreak: 0, Log: [] }
  const sinceStartMs = Date.parse(probe.Start) - (container.run?.startedAtMs ?? 0)
  const health = judge(before, probe, plan, sinceStartMs)
  container.note({ health })
  if (health.Status === before.Status) return
  await container
    .changeState(() => ({ health }))
    .catch((error: unknown) => world.warn(container, error, 'The health of a container could not be written'))
  world.emit(container.record, `health_status: ${health.Status}`)
}

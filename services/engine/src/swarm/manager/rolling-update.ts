// Replaces tasks of an older description step by step, and stops or goes back when the new ones fail.
import type { UpdateConfig } from '../../resources/services/schema.ts'
import type { KeptService, KeptTask } from '../store/objects.ts'
import { type Place, placesOf } from './places.ts'
import type { Plan } from './plan.ts'
import { hasFailed, hostPortsOf, isCurrent, isOver, isWanted } from './task-states.ts'

const nanosPerMs = 1e6
const defaultMonitorMs = 5_000

interface Pace {
  parallelism: number
  delayMs: number
  monitorMs: number
  isStartFirst: boolean
  action: string
  maxFailureRatio: number
}

function paceOf({ Spec, UpdateStatus }: KeptService): Pace {
  const isRollback = UpdateStatus?.State.startsWith('rollback') === true
  const config: Partial<UpdateConfig> = (isRollback ? Spec.RollbackConfig : Spec.UpdateConfig) ?? {}
  return {
    parallelism: config.Parallelism ?? 1,
    delayMs: (config.Delay ?? 0) / nanosPerMs,
    monitorMs: config.Monitor ? config.Monitor / nanosPerMs : defaultMonitorMs,
    isStartFirst: config.Order === 'start-first',
    action: config.FailureAction || 'pause',
    maxFailureRatio: config.MaxFailureRatio ?? config.MonitorMaxFailureRatio ?? 0,
  }
}

const isUnderWay = (state: string | undefined): boolean => state === 'updating' || state === 'rollback_started'
/** Tasks are being replaced: what becomes of each is looked at. */
export const isUpdating = ({ UpdateStatus }: KeptService): boolean => isUnderWay(UpdateStatus?.State)

const timeOf = ({ Status }: KeptTask): number => Date.parse(Status.Timestamp)

export function rollUpdates(plan: Plan): void {
  const { service } = plan
  const ports = hostPortsOf(service)
  const isNew = (task: KeptTask): boolean => isCurrent(service, task, ports)
  const places = [...placesOf(plan.tasks()).values()].filter(({ tasks }) =>
    tasks.some((task) => task.DesiredState !== 'remove'),
  )
  const alive = (place: Place): KeptTask[] => place.tasks.filter((task) => isWanted(task) && !isOver(task))
  const dirty = places.filter((place) => alive(place).length > 0 && !alive(place).some(isNew))
  const state = service.UpdateStatus?.State
  if (state?.endsWith('paused')) return
  if (dirty.length === 0 && !isUnderWay(state)) return
  if (!isUnderWay(state)) {
    plan.changeService({ UpdateStatus: { State: 'updating', StartedAt: now(plan), Message: 'update in progress' } })
    plan.wake(plan.around.nowMs)
    return
  }
  const pace = paceOf(service)
  retireReplaced(plan, places, isNew)
  if (failed(plan, places, pace, isNew)) return
  const busy = places.filter((place) => alive(place).some((task) => isNew(task) && task.Status.State !== 'running'))
  const fresh = places.flatMap(({ tasks }) => tasks.filter((task) => isNew(task) && task.Status.State === 'running'))
  const lastMs = Math.max(0, ...fresh.map(timeOf))
  if (dirty.length > 0) begin(plan, dirty, { pace, busy: busy.length, lastMs })
  else if (busy.length === 0) complete(plan, lastMs + pace.monitorMs)
}

const now = ({ around }: Plan): string => new Date(around.nowMs).toISOString().replace('Z', '000000Z')

/** Of two that run in one place, the older goes. */
function retireReplaced(plan: Plan, places: readonly Place[], isNew: (task: KeptTask) => boolean): void {
  for (const { tasks } of places) {
    if (!tasks.some((task) => isNew(task) && task.Status.State === 'running' && isWanted(task))) continue
    for (const task of tasks) if (isWanted(task) && !isNew(task)) plan.desire(task, 'shutdown')
  }
}

/** True: too many of the new ones failed, and it goes on in another way. */
function failed(plan: Plan, places: readonly Place[], pace: Pace, isNew: (task: KeptTask) => boolean): boolean {
  const { service } = plan
  const { StartedAt = '', State = '' } = service.UpdateStatus ?? {}
  const failures = places.flatMap(({ tasks }) =>
    tasks.filter((task) => isNew(task) && hasFailed(task) && task.CreatedAt >= StartedAt),
  )
  const [first] = failures
  if (first === undefined || pace.action === 'continue') return false
  if (failures.length / Math.max(places.length, 1) <= pace.maxFailureRatio) return false
  const isRollback = State === 'rollback_started'
  const why = `due to failure or early termination of task ${first.ID}`
  if (pace.action === 'rollback' && !isRollback && service.PreviousSpec !== undefined) {
    plan.changeService({
      Spec: service.PreviousSpec,
      PreviousSpec: undefined,
      UpdateStatus: { State: 'rollback_started', StartedAt: now(plan), Message: `update rolled back ${why}` },
    })
  } else {
    const State = isRollback ? 'rollback_paused' : 'paused'
    const words = isRollback ? 'rollback' : 'update'
    plan.changeService({ UpdateStatus: { State, StartedAt, Message: `${words} paused ${why}` } })
  }
  plan.wake(plan.around.nowMs)
  return true
}

function begin(plan: Plan, dirty: Place[], { pace, busy, lastMs }: { pace: Pace; busy: number; lastMs: number }): void {
  const { nowMs } = plan.around
  const startedMs = Date.parse(plan.service.UpdateStatus?.StartedAt ?? '')
  // The first ones wait for nothing.
  const atMs = lastMs > startedMs ? lastMs + pace.delayMs : nowMs
  if (atMs > nowMs) {
    plan.wake(atMs)
    return
  }
  const room = pace.parallelism === 0 ? dirty.length : Math.max(0, pace.parallelism - busy)
  for (const { key, tasks } of dirty.slice(0, room)) {
    if (!pace.isStartFirst) for (const task of tasks) if (isWanted(task)) plan.desire(task, 'shutdown')
    plan.create({ key, desired: pace.isStartFirst ? 'running' : 'ready' })
  }
}

function complete(plan: Plan, atMs: number): void {
  if (atMs > plan.around.nowMs) {
    plan.wake(atMs)
    return
  }
  const isRollback = plan.service.UpdateStatus?.State === 'rollback_started'
  plan.changeService({
    UpdateStatus: {
      State: isRollback ? 'rollback_completed' : 'completed',
      ...(plan.service.UpdateStatus?.StartedAt ? { StartedAt: plan.service.UpdateStatus.StartedAt } : {}),
      CompletedAt: now(plan),
      Message: isRollback ? 'rollback completed' : 'update completed',
    },
  })
}

// Services that go on: as many tasks as wanted, one for each place, and one for each node where that is wanted. What is
// to be done follows from what is there, so whoever looks, after whatever happened, comes to the same.

import type { KeptTask } from '../store/objects.ts'
import { readConstraints } from './constraints.ts'
import { type Place, placesOf } from './places.ts'
import type { Key, Plan } from './plan.ts'
import { restartOf } from './restart-policy.ts'
import { rollUpdates } from './rolling-update.ts'
import { isOutOfReach, mayKeepTasks, mayTakeTasks } from './scheduler.ts'
import { hostPortsOf, isCurrent, isOver, isWanted } from './task-states.ts'

/** The rest is planned in further looks: in between others have their turn. */
const maxCreatedAtOnce = 250

export function planRunning(plan: Plan): void {
  replaceEnded(plan)
  leaveNodes(plan)
  fillPlaces(plan)
  letReadyRun(plan)
  rollUpdates(plan)
}

/** The newest of a place has ended for good: its policy wants no other. */
function isFinished({ service, around }: Plan, { tasks }: Place): boolean {
  const newest = tasks.at(-1)
  return (
    newest !== undefined &&
    isOver(newest) &&
    !tasks.some(isWanted) &&
    newest.DesiredState === 'shutdown' &&
    newest.Status.State !== 'shutdown' &&
    isCurrent(service, newest, hostPortsOf(service)) &&
    restartOf(service, newest, around.nowMs) === undefined
  )
}

function replaceEnded(plan: Plan): void {
  const { service, around } = plan
  for (const { key, tasks } of placesOf(plan.tasks()).values()) {
    for (const task of tasks.filter((one) => isWanted(one) && isOver(one))) {
      plan.desire(task, 'shutdown')
      const isAlone = !tasks.some((other) => other !== task && isWanted(other) && !isOver(other))
      const restart = isAlone ? restartOf(service, task, around.nowMs) : undefined
      if (restart === undefined) continue
      if (typeof key === 'string' && !(isEligible(plan, key) && plan.hasRoomFor(key))) continue
      plan.create({ key, desired: 'ready', restarts: restart.restarts, notBefore: restart.at })
    }
  }
}

/** A node or a volume is drained or gone: its tasks go elsewhere. */
function leaveNodes(plan: Plan): void {
  const { nodes } = plan.around
  for (const task of plan.tasks().filter((one) => isWanted(one) && !isOver(one) && one.NodeID !== undefined)) {
    if (mayKeepTasks(nodes.find(({ ID }) => ID === task.NodeID)) && !plan.isDrained(task)) continue
    plan.desire(task, 'shutdown')
    if (task.Slot !== undefined) plan.create({ key: task.Slot, desired: 'ready' })
  }
}

const isEligible = ({ service, around }: Plan, nodeId: string): boolean => {
  const node = around.nodes.find(({ ID }) => ID === nodeId)
  const satisfies = readConstraints(service.Spec.TaskTemplate?.Placement?.Constraints ?? [])
  return node !== undefined && mayTakeTasks(node) && satisfies(node)
}

function fillPlaces(plan: Plan): void {
  const { service, around } = plan
  const places = placesOf(plan.tasks())
  const filled = [...places.values()].filter((place) => place.tasks.some(isWanted) || isFinished(plan, place))
  if (service.Spec.Mode?.Global !== undefined) {
    const eligible = around.nodes.map(({ ID }) => ID).filter((id) => isEligible(plan, id))
    const kept = (key: Key) => eligible.includes(String(key)) || mayStay(plan, String(key))
    for (const { tasks } of filled.filter(({ key }) => !kept(key))) giveUp(plan, tasks)
    const missing = eligible.filter((id) => !filled.some(({ key }) => key === id) && plan.hasRoomFor(id))
    for (const key of missing) plan.create({ key, desired: 'running' })
    return
  }
  const wanted = service.Spec.Mode?.Replicated?.Replicas ?? 1
  const surplus = [...filled].sort(bestFirst).slice(wanted)
  for (const { tasks } of surplus) giveUp(plan, tasks)
  const taken = new Set(filled.map(({ key }) => key))
  let slot = 1
  const reached = Math.min(wanted, filled.length + maxCreatedAtOnce)
  if (reached < wanted) plan.wake(around.nowMs)
  for (let count = filled.length; count < reached; count++) {
    while (taken.has(slot)) slot++
    plan.create({ key: slot++, desired: 'running' })
  }
}

/** Nodes that are paused keep what they have. */
const mayStay = ({ around }: Plan, nodeId: string): boolean => {
  const node = around.nodes.find(({ ID }) => ID === nodeId)
  return node !== undefined && mayKeepTasks(node) && node.Spec.Availability === 'pause'
}

function giveUp(plan: Plan, tasks: readonly KeptTask[]): void {
  for (const task of tasks) plan.desire(task, 'remove')
}

/** Those that run stay, and of these the first. */
function bestFirst(one: Place, other: Place): number {
  const runs = ({ tasks }: Place): number => (tasks.some((task) => task.Status.State === 'running') ? 0 : 1)
  return runs(one) - runs(other) || Number(one.key) - Number(other.key)
}

/** Once the one before has ended and it has waited long enough. */
function letReadyRun(plan: Plan): void {
  const { nowMs } = plan.around
  for (const { tasks } of placesOf(plan.tasks()).values()) {
    for (const task of tasks.filter(({ DesiredState }) => DesiredState === 'ready')) {
      const isBlocking = (other: KeptTask): boolean =>
        other !== task && !isOver(other) && other.NodeID !== undefined && !isOutOfReach(plan.around.nodes, other)
      if (tasks.some(isBlocking)) continue
      if ((task.notBefore ?? 0) > nowMs) plan.wake(task.notBefore ?? 0)
      else plan.desire(task, 'running')
    }
  }
}

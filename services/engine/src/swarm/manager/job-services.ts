// Services that come to an end: so many tasks have to complete, or one on each node.
import type { KeptTask } from '../store/objects.ts'
import { readConstraints } from './constraints.ts'
import { placesOf } from './places.ts'
import type { Key, Plan } from './plan.ts'
import { restartOf } from './restart-policy.ts'
import { mayKeepTasks, mayTakeTasks } from './scheduler.ts'
import { isOver, isWanted } from './task-states.ts'

const isComplete = ({ Status }: KeptTask): boolean => Status.State === 'complete'

export function planJob(plan: Plan): void {
  const iteration = plan.service.JobStatus?.JobIteration.Index ?? 0
  const isOld = ({ JobIteration }: KeptTask): boolean => JobIteration?.Index !== iteration
  for (const task of plan.tasks().filter(isOld)) plan.desire(task, 'remove')
  replaceEnded(plan, iteration)
  if (plan.service.Spec.Mode?.GlobalJob !== undefined) fillNodes(plan, iteration)
  else fillJob(plan, iteration)
  letReadyRun(plan)
}

const ofRun = (plan: Plan, iteration: number): KeptTask[] =>
  plan.tasks().filter(({ JobIteration }) => JobIteration?.Index === iteration)

/** Failed ones are begun again, as their policy says; those on lost nodes at once. */
function replaceEnded(plan: Plan, iteration: number): void {
  const { service, around } = plan
  for (const { key, tasks } of placesOf(ofRun(plan, iteration)).values()) {
    for (const task of tasks.filter((one) => isWanted(one) && !isComplete(one))) {
      const node = around.nodes.find(({ ID }) => ID === task.NodeID)
      const isLost = task.NodeID !== undefined && (!mayKeepTasks(node) || plan.isDrained(task))
      if (!isOver(task) && !isLost) continue
      plan.desire(task, 'shutdown')
      const restart = isLost
        ? { at: around.nowMs, restarts: task.restarts ?? [] }
        : restartOf(service, task, around.nowMs)
      if (restart === undefined || (typeof key === 'string' && isLost)) continue
      plan.create({ key, desired: 'ready', restarts: restart.restarts, notBefore: restart.at, iteration })
    }
  }
}

function fillJob(plan: Plan, iteration: number): void {
  const { MaxConcurrent, TotalCompletions } = plan.service.Spec.Mode?.ReplicatedJob ?? {}
  const concurrent = MaxConcurrent ?? 1
  const total = TotalCompletions ?? concurrent
  const places = [...placesOf(ofRun(plan, iteration)).values()]
  const running = places.filter(({ tasks }) => tasks.some((task) => isWanted(task) && !isOver(task)))
  const free = Math.min(concurrent - running.length, total - places.length)
  const taken = new Set<Key>(places.map(({ key }) => key))
  for (let count = 0, slot = 0; count < free; slot++) {
    if (taken.has(slot)) continue
    plan.create({ key: slot, desired: 'complete', iteration })
    count++
  }
}

function fillNodes(plan: Plan, iteration: number): void {
  const satisfies = readConstraints(plan.service.Spec.TaskTemplate?.Placement?.Constraints ?? [])
  const places = placesOf(ofRun(plan, iteration))
  for (const node of plan.around.nodes) {
    if (mayTakeTasks(node) && satisfies(node) && !places.has(node.ID) && plan.hasRoomFor(node.ID)) {
      plan.create({ key: node.ID, desired: 'complete', iteration })
    }
  }
}

function letReadyRun(plan: Plan): void {
  for (const task of plan.tasks().filter(({ DesiredState }) => DesiredState === 'ready')) {
    if ((task.notBefore ?? 0) > plan.around.nowMs) plan.wake(task.notBefore ?? 0)
    else plan.desire(task, 'complete')
  }
}

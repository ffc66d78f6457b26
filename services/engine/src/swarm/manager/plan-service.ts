// One look at a service: what it wants, what is over, and what nobody needs to know any more.
import type { KeptTask } from '../store/objects.ts'
import { planJob } from './job-services.ts'
import { placesOf } from './places.ts'
import type { Plan } from './plan.ts'
import { planRunning } from './running-services.ts'
import { isJob, isOver, isWanted } from './task-states.ts'

export function planService(plan: Plan): void {
  for (const task of plan.tasks()) {
    if (task.NodeID === undefined && isWanted(task)) plan.placeAgain(task)
  }
  if (isJob(plan.service)) planJob(plan)
  else planRunning(plan)
  endUnplaced(plan)
  forget(plan)
}

/** No node has it, or none that is still there: nobody else can end it. */
function endUnplaced(plan: Plan): void {
  for (const task of plan.tasks()) {
    if (isWanted(task) || isOver(task)) continue
    const isGone = task.NodeID !== undefined && !plan.around.nodes.some(({ ID }) => ID === task.NodeID)
    if (task.NodeID === undefined) end(plan, task, { State: 'shutdown', Message: 'shutdown' })
    if (isGone) end(plan, task, { State: 'orphaned', Message: 'its node is gone' })
  }
}

const end = (plan: Plan, task: KeptTask, status: Pick<KeptTask['Status'], 'State' | 'Message'>): void =>
  void plan.change(task, { Status: { ...task.Status, ...status } })

/** What was to be removed and has ended; and of each place the oldest that have ended. */
export function forget(plan: Plan): void {
  for (const task of plan.tasks()) if (task.DesiredState === 'remove' && isOver(task)) plan.remove(task)
  for (const { tasks } of placesOf(plan.tasks()).values()) {
    const ended = tasks.filter((task) => isOver(task) && !isWanted(task))
    for (const task of ended.slice(0, Math.max(0, ended.length - plan.around.history))) plan.remove(task)
  }
}

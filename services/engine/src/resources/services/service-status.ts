// How many tasks of a service run, and how many are to.
import { isOver, isWanted } from '../../swarm/manager/task-states.ts'
import type { KeptService, KeptTask } from '../../swarm/store/objects.ts'
import type { Service } from './schema.ts'

/** `tasks`: all of the service. */
export function statusOf(service: KeptService, tasks: readonly KeptTask[]): NonNullable<Service['ServiceStatus']> {
  const { Replicated, ReplicatedJob } = service.Spec.Mode ?? {}
  const wanted = tasks.filter(isWanted)
  const iteration = service.JobStatus?.JobIteration.Index
  const completed = tasks.filter(
    ({ Status, JobIteration }) => Status.State === 'complete' && JobIteration?.Index === iteration,
  )
  return {
    RunningTasks: tasks.filter((task) => task.Status.State === 'running' && isWanted(task)).length,
    DesiredTasks:
      Replicated?.Replicas ??
      ReplicatedJob?.MaxConcurrent ??
      (ReplicatedJob === undefined ? wanted.filter((task) => !isOver(task)).length : 1),
    CompletedTasks: iteration === undefined ? 0 : completed.length,
  }
}

// How far a task is, and what is wanted of it.
import { type TaskState, taskStates } from '../../resources/tasks/schema.ts'
import type { KeptService, KeptTask } from '../store/objects.ts'

export const rank = (state: TaskState): number => taskStates.indexOf(state)

/** It has ended, whatever the reason. */
export const isOver = ({ Status }: KeptTask): boolean => rank(Status.State) > rank('running')

/** It shall run, or shall be ready to. */
export const isWanted = ({ DesiredState }: KeptTask): boolean =>
  rank(DesiredState) <= rank('running') || DesiredState === 'complete'

export const hasFailed = ({ Status }: KeptTask): boolean => Status.State === 'failed' || Status.State === 'rejected'

/** It is as the service is described now. */
export function isCurrent({ Spec, JobStatus }: KeptService, task: KeptTask, hostPorts: KeptTask['hostPorts']): boolean {
  if (JobStatus !== undefined) return task.JobIteration?.Index === JobStatus.JobIteration.Index
  return isSame(task.Spec, Spec.TaskTemplate) && isSame(task.hostPorts ?? [], hostPorts ?? [])
}

const isSame = (one: object | undefined, other: object | undefined): boolean =>
  one === other || textOf(one) === textOf(other)

/** Whatever is kept is never changed in place, and large services look at all of their tasks again and again. */
const texts = new WeakMap<object, string>()

function textOf(value: object | undefined): string | undefined {
  if (value === undefined) return undefined
  const text = texts.get(value) ?? JSON.stringify(value)
  texts.set(value, text)
  return text
}

/** What a task takes of its node for itself. */
export const hostPortsOf = ({ Spec }: KeptService) =>
  (Spec.EndpointSpec?.Ports ?? []).filter(({ PublishMode }) => PublishMode === 'host')

/** Ids of networks of the swarm are as long as all its ids; those of a machine's own are longer. */
const swarmIdLetters = 25

/** A network of the swarm, rather than of a machine. */
export const isOfSwarm = (networkId: string): boolean => networkId.length === swarmIdLetters

export const isJob = ({ Spec: { Mode } }: KeptService): boolean =>
  Mode?.ReplicatedJob !== undefined || Mode?.GlobalJob !== undefined

export const byAge = (one: KeptTask, other: KeptTask): number =>
  one.CreatedAt < other.CreatedAt ? -1 : one.CreatedAt > other.CreatedAt ? 1 : one.Version.Index - other.Version.Index

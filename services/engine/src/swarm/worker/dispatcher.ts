// What a worker is told by a manager, and what it tells it. In a manager's own process it is a call; from another
// machine it is a session.
import type { Node } from '../../resources/nodes/schema.ts'
import type { TaskStatus } from '../../resources/tasks/schema.ts'
import type { KeptTask } from '../store/objects.ts'

/** A secret or a config with what is in it. */
export interface TaskFile {
  name: string
  data: Buffer
  isTemplate: boolean
  /** An external store that it would come from. */
  driver: string | undefined
}

export interface AssignedNetwork {
  /** As every node knows it; undefined where it is no longer there. */
  name: string | undefined
  target: string
  isOfSwarm: boolean
  aliases: readonly string[]
}

export interface Assignment {
  task: KeptTask
  node: Node
  service: {
    id: string
    name: string
    labels: Readonly<Record<string, string>>
    /** Its name leads to its tasks themselves, not to an address that stands for them. */
    isByName: boolean
  }
  networks: readonly AssignedNetwork[]
  /** By id; undefined where it is no longer there. */
  secret(id: string): TaskFile | undefined
  config(id: string): TaskFile | undefined
  /** The X-Registry-Auth header that the service was created with. */
  registryAuth: string | undefined
  logDriver: { Name?: string | undefined; Options?: Record<string, string> | undefined } | undefined
}

export type TaskReport = Pick<TaskStatus, 'State' | 'Message'> &
  Partial<Pick<TaskStatus, 'Err' | 'ContainerStatus' | 'PortStatus'>>

export interface Dispatcher {
  /** Ids of all tasks of this node. */
  assigned(): string[]
  /** Undefined: it is no longer this node's. */
  assignment(taskId: string): Assignment | undefined
  /** Told when a task of this node came, changed or went. Returns how to stop listening. */
  listen(changed: (taskId: string) => void): () => void
  /** A task never goes back: a report of an earlier state changes nothing. */
  report(taskId: string, report: TaskReport): Promise<void>
}

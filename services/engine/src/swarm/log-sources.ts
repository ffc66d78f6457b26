// Where the lines of tasks come from: containers of this machine, and other nodes.
import { Readable } from 'node:stream'
import type { LogsQuery } from '../resources/containers/logs/logs-query.ts'
import type { LogSource } from '../resources/services/logs.ts'
import type { KeptTask } from './store/objects.ts'
import type { Swarm } from './swarm.ts'
import type { SwarmParts } from './swarm-work.ts'
import { taskIdLabel } from './worker/task-container.ts'

/** `missing`: nodes that have some, and cannot be asked. */
export function logSources(
  { membership, management }: Swarm,
  taskIds: readonly string[],
  { containers, logs }: Pick<SwarmParts, 'containers' | 'logs'>,
): { here: LogSource[]; missing: string[] } {
  const { store, identity } = membership
  const own = containers.all().filter(({ taskId = '' }) => taskIds.includes(taskId))
  const here: LogSource[] = own.map((container) => ({
    ...{ labels: container.config.Labels ?? {}, isTty: container.config.Tty === true },
    read: (query) => logs.read(container, query),
  }))
  const missing: string[] = []
  for (const task of taskIds.flatMap((id) => store.get('task', id) ?? [])) {
    const { ID, NodeID, Status } = task
    if (NodeID === undefined || NodeID === identity.nodeId || Status.ContainerStatus === undefined) continue
    const isReady = store.get('node', NodeID)?.Status.State === 'ready'
    const open = (query: LogsQuery): Readable | undefined => management?.openLogs(NodeID, ID, query)
    if (isReady) here.push(elsewhere(task, open))
    else missing.push(NodeID)
  }
  return { here, missing: [...new Set(missing)] }
}

const elsewhere = (task: KeptTask, open: (query: LogsQuery) => Readable | undefined): LogSource => ({
  labels: {
    'com.docker.swarm.node.id': task.NodeID ?? '',
    'com.docker.swarm.service.id': task.ServiceID,
    [taskIdLabel]: task.ID,
  },
  isTty: task.Spec.ContainerSpec?.TTY === true,
  read: (query) => open(query) ?? gone(),
})

/** It was there a moment ago. */
function gone(): Readable {
  const stream = new Readable({ read() {} })
  stream.destroy(new Error('the node went away'))
  return stream
}

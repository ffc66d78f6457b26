// Everything that streams to and from containers' processes, put together.
import type { SocketRoute } from '@atoll/kernel/http/service'
import type { EngineCallers } from '../callers.ts'
import type { EngineEvents } from '../events/engine-events.ts'
import type { Networking } from '../network/networking.ts'
import { attachRoutes, attachSockets } from '../resources/containers/attach/routes.ts'
import { Attachments } from '../resources/containers/attach/service.ts'
import { logsRoutes } from '../resources/containers/logs/routes.ts'
import { Logs, type LogsParts } from '../resources/containers/logs/service.ts'
import { resizeRoutes } from '../resources/containers/resize/routes.ts'
import { Resizing } from '../resources/containers/resize/service.ts'
import { statsRoutes } from '../resources/containers/stats/routes.ts'
import { StatsReading } from '../resources/containers/stats/service.ts'
import { topRoutes } from '../resources/containers/top/routes.ts'
import { Top } from '../resources/containers/top/service.ts'
import { execRoutes } from '../resources/exec/routes.ts'
import { type ExecParts, Execs } from '../resources/exec/service.ts'
import type { Runtime } from '../runtime/runtime.ts'

export interface StreamingParts extends LogsParts, ExecParts {
  runtime: Runtime
  networking: Pick<Networking, 'stats'>
  events: EngineEvents
}

export function createStreaming(parts: StreamingParts) {
  const logs = new Logs(parts)
  const attachments = new Attachments({
    find: (asked) => parts.find(asked),
    runtime: parts.runtime,
    logs,
    events: parts.events,
    emit: (container, action, attributes) => parts.emit(container, action, attributes),
    now: () => parts.now(),
  })
  const execs = new Execs(parts)
  const stats = new StatsReading(parts)
  const sockets: SocketRoute<EngineCallers>[] = attachSockets(attachments)
  return {
    routes: [
      ...logsRoutes(logs),
      ...attachRoutes(attachments),
      ...resizeRoutes(new Resizing(parts)),
      ...statsRoutes(stats),
      ...topRoutes(new Top(parts)),
      ...execRoutes(execs),
    ],
    sockets,
    /** Between the making of a container's process and its start, `connectWaiting` has to be called. */
    attachments,
    execs,
    logs,
    stats,
  }
}

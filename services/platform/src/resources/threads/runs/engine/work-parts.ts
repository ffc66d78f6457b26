// What working on runs takes.
import type { Clock } from '@atoll/kernel/clock/clock'
import type { Database } from '@atoll/kernel/db/database'
import type { Ids } from '@atoll/kernel/ids/ids'
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Inference } from '../../../../inference/inference.ts'
import type { HostedTool } from '../../../../tool-loop/tools/hosted-tool.ts'
import type { Files } from '../../../files/service.ts'
import type { VectorStores } from '../../../vector-stores/service.ts'
import type { Messages } from '../../messages/service.ts'
import type { Threads } from '../../service.ts'
import type { RunHub } from '../stream/hub.ts'

export interface WorkParts {
  db: Database
  ids: Ids
  clock: Clock
  log: Log
  inference: Inference
  files: Pick<Files, 'content'>
  messages: Messages
  threads: Pick<Threads, 'get'>
  vectorStores: Pick<VectorStores, 'get'>
  hub: RunHub
  tools: readonly HostedTool[]
  /** Context lengths that models have told by refusing, by the public id. */
  contextLengths: Map<string, number>
}

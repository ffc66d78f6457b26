// The whole first form of the assistants interface, on the paths of the second: the header tells which is meant.
import type { Threads } from '../threads/service.ts'
import { assistantFileRoutes, assistantRoutesV1 } from './assistant-routes.ts'
import { messageRoutesV1 } from './message-routes.ts'
import type { MessagesV1 } from './messages.ts'
import { runningRoutesV1, runRoutesV1, runStepRoutesV1 } from './run-routes.ts'
import type { RunsV1 } from './runs.ts'
import type { AssistantsV1 } from './service.ts'
import { threadRoutesV1 } from './thread-routes.ts'

interface Services {
  assistants: AssistantsV1
  threads: Threads
  messages: MessagesV1
  runs: RunsV1
}

export const assistantsV1Routes = ({ assistants, threads, messages, runs }: Services) => [
  ...assistantRoutesV1(assistants),
  ...assistantFileRoutes(assistants),
  ...threadRoutesV1(threads),
  ...messageRoutesV1(messages),
  ...runningRoutesV1(runs),
  ...runRoutesV1(runs),
  ...runStepRoutesV1(runs),
]

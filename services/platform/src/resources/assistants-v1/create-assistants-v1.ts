// The first form of the assistants interface, put on top of the services of the second.
import type { Kernel } from '@atoll/kernel/kernel'
import type { Assistants } from '../assistants/service.ts'
import type { Files } from '../files/service.ts'
import type { Messages } from '../threads/messages/service.ts'
import type { Runs } from '../threads/runs/service.ts'
import type { RunSteps } from '../threads/runs/steps/service.ts'
import type { Threads } from '../threads/service.ts'
import type { VectorStores } from '../vector-stores/service.ts'
import { MessagesV1 } from './messages.ts'
import { assistantsV1Routes } from './routes.ts'
import { RunsV1 } from './runs.ts'
import { AssistantsV1 } from './service.ts'

interface Parts {
  files: Files
  vectorStores: VectorStores
  assistants: Assistants
  threads: Threads
  messages: Messages
  runs: Runs
  steps: RunSteps
}

export function createAssistantsV1({ db }: Kernel, parts: Parts) {
  const { files, vectorStores, threads, messages, runs, steps } = parts
  const assistants = new AssistantsV1({ db, assistants: parts.assistants, files, vectorStores })
  return assistantsV1Routes({
    assistants,
    threads,
    messages: new MessagesV1({ messages, steps }),
    runs: new RunsV1({ runs, steps }),
  })
}

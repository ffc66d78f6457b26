// The first form of the assistants interface, put on top of the services of the second.
import type { Kernel } from '@atoll/kernel/kernel'
import type { Assistants } from './resources/assistants/service.ts'
import { MessagesV1 } from './resources/assistants-v1/messages.ts'
import { assistantsV1Routes } from './resources/assistants-v1/routes.ts'
import { RunsV1 } from './resources/assistants-v1/runs.ts'
import { AssistantsV1 } from './resources/assistants-v1/service.ts'
import type { Files } from './resources/files/service.ts'
import type { Messages } from './resources/threads/messages/service.ts'
import type { Runs } from './resources/threads/runs/service.ts'
import type { RunSteps } from './resources/threads/runs/steps/service.ts'
import type { Threads } from './resources/threads/service.ts'
import type { VectorStores } from './resources/vector-stores/service.ts'

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

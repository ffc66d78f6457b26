// Assistants, threads and messages put together.
import type { Kernel } from '@atoll/kernel/kernel'
import { assistantRoutes } from './resources/assistants/routes.ts'
import { Assistants } from './resources/assistants/service.ts'
import type { Files } from './resources/files/service.ts'
import type { Models } from './resources/models/service.ts'
import { messageRoutes } from './resources/threads/messages/routes.ts'
import { Messages } from './resources/threads/messages/service.ts'
import { threadRoutes } from './resources/threads/routes.ts'
import { Threads } from './resources/threads/service.ts'
import type { VectorStores } from './resources/vector-stores/service.ts'

interface Parts {
  files: Files
  models: Models
  vectorStores: VectorStores
}

export function createAssistants({ db, ids, clock }: Kernel, { files, models, vectorStores }: Parts) {
  const assistants = new Assistants({ db, ids, clock, files, models, vectorStores })
  const messages = new Messages({ db, ids, clock, files, vectorStores })
  const threads = new Threads({ db, ids, clock, files, vectorStores, messages })
  const routes = [...assistantRoutes(assistants), ...threadRoutes(threads), ...messageRoutes(messages)]
  return { assistants, threads, messages, routes }
}

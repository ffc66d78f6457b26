// Assistants, threads and messages put together.
import { Purge } from '@atoll/kernel/jobs/purge'
import type { Kernel } from '@atoll/kernel/kernel'
import type { ModelCheck } from '../../inference/inference.ts'
import type { Files } from '../files/service.ts'
import { messageRoutes } from '../threads/messages/routes.ts'
import { Messages } from '../threads/messages/service.ts'
import { threadRoutes } from '../threads/routes.ts'
import { Threads } from '../threads/service.ts'
import type { VectorStores } from '../vector-stores/service.ts'
import { assistantRoutes } from './routes.ts'
import { Assistants } from './service.ts'

interface Parts {
  files: Files
  inference: ModelCheck
  vectorStores: VectorStores
}

export function createAssistants({ db, ids, clock, jobs }: Kernel, { files, inference, vectorStores }: Parts) {
  const assistants = new Assistants({ db, ids, clock, files, inference, vectorStores })
  const messages = new Messages({ db, ids, clock, files, vectorStores })
  const threads = new Threads({
    db,
    ids,
    clock,
    files,
    vectorStores,
    messages,
    purge: new Purge({ db, jobs }, 'thread'),
  })
  const routes = [...assistantRoutes(assistants), ...threadRoutes(threads), ...messageRoutes(messages)]
  return { assistants, threads, messages, routes }
}

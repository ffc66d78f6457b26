// Responses and conversations put together.
import type { Documents } from '@atoll/documents/documents'
import type { Kernel } from '@atoll/kernel/kernel'
import type { ProjectCaller } from '../../callers.ts'
import type { Inference } from '../../inference/inference.ts'
import type { ToolLoop } from '../../tool-loop/create-tool-loop.ts'
import { InputFiles } from '../../tool-loop/input-files.ts'
import { McpServers } from '../../tool-loop/mcp/servers.ts'
import type { McpSettings } from '../../tool-loop/mcp/settings.ts'
import { Items } from '../conversations/items/service.ts'
import { conversationRoutes } from '../conversations/routes.ts'
import { Conversations } from '../conversations/service.ts'
import type { Files } from '../files/service.ts'
import type { Images } from '../images/service.ts'
import type { Runs } from '../threads/runs/service.ts'
import type { Threads } from '../threads/service.ts'
import type { VectorStores } from '../vector-stores/service.ts'
import { ResponseJobs } from './background/jobs.ts'
import { responseRoutes } from './routes.ts'
import { Responses } from './service.ts'
import { ResponseHub } from './stream/hub.ts'
import { SecretBox } from './tools/mcp/secrets.ts'

interface Parts {
  inference: Inference
  files: Files
  documents: Documents
  vectorStores: VectorStores
  images: Images
  threads: Threads
  runs: Pick<Runs, 'activeRun'>
  toolLoop: ToolLoop
  mcp: McpSettings
}

export function createResponses(kernel: Kernel, parts: Parts) {
  const { db, ids, clock, log, events } = kernel
  const { inference, files, documents, vectorStores, images, threads, runs, toolLoop } = parts
  const { tools, contextLengths } = toolLoop
  const items = new Items({ db, ids, clock })
  const conversations = new Conversations({ db, threads, runs, items })
  const hub = new ResponseHub({ db, events, log })
  const inputFiles = new InputFiles({ files, documents })
  const mcpServers = new McpServers(parts.mcp)
  const work = {
    ...{ inputFiles, mcpServers, secretBox: new SecretBox(kernel.folder) },
    ...{ db, ids, clock, log, items, inference, files, vectorStores, images, tools, contextLengths, hub },
    checkConversation: (caller: ProjectCaller, id: string) => conversations.check(caller, id),
  }
  const jobs = new ResponseJobs(work, kernel.jobs)
  const responses = new Responses({
    ...work,
    jobs,
    joinConversation: (tx, caller, id, count) => conversations.joinIn(tx, caller, id, count),
  })
  return {
    responses,
    conversations,
    jobs,
    routes: [...responseRoutes(responses), ...conversationRoutes(conversations)],
    async close() {
      await jobs.close()
      hub.close()
    },
  }
}

// Runs and their steps put together.
import type { Kernel } from '@atoll/kernel/kernel'
import type { Inference } from '../../../inference/inference.ts'
import type { ToolLoop } from '../../../tool-loop/create-tool-loop.ts'
import type { Assistants } from '../../assistants/service.ts'
import type { Files } from '../../files/service.ts'
import type { VectorStores } from '../../vector-stores/service.ts'
import type { Messages } from '../messages/service.ts'
import type { Threads } from '../service.ts'
import { RunJobs } from './engine/jobs.ts'
import { runRoutes } from './routes.ts'
import { Runs } from './service.ts'
import { runStepRoutes } from './steps/routes.ts'
import { RunSteps } from './steps/service.ts'
import { RunHub } from './stream/hub.ts'
import { loadState } from './stream/load-state.ts'

interface Parts {
  inference: Inference
  files: Files
  assistants: Assistants
  threads: Threads
  messages: Messages
  vectorStores: VectorStores
  toolLoop: ToolLoop
}

export function createRuns(kernel: Kernel, parts: Parts) {
  const { db, ids, clock, log, events } = kernel
  const { inference, files, assistants, threads, messages, vectorStores, toolLoop } = parts
  const { tools, contextLengths } = toolLoop
  const hub = new RunHub({ events, log, load: (id) => loadState(db.queries, messages, id) })
  const work = { db, ids, clock, log, inference, files, messages, threads, vectorStores, hub, tools, contextLengths }
  const jobs = new RunJobs(work, kernel.jobs)
  const runs = new Runs({ db, ids, clock, inference, assistants, threads, messages, jobs, hub })
  const steps = new RunSteps({ db, runs })
  return {
    runs,
    steps,
    jobs,
    hub,
    routes: [...runRoutes(runs), ...runStepRoutes(steps)],
    async close() {
      await jobs.close()
      hub.close()
    },
  }
}

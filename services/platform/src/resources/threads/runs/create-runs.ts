// Runs and their steps put together with what they work with: the tools, and the sandbox for code.
import { join } from 'node:path'
import type { Kernel } from '@atoll/kernel/kernel'
import { createPyodideSandbox } from '@atoll/sandbox/pyodide/create-pyodide-sandbox'
import type { ProjectCaller } from '../../../callers.ts'
import type { Inference } from '../../../inference/inference.ts'
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
import { CodeInterpreter } from './tools/code-interpreter.ts'
import { FileSearch } from './tools/file-search.ts'

interface Parts {
  inference: Inference
  files: Files
  assistants: Assistants
  threads: Threads
  messages: Messages
  vectorStores: VectorStores
  /** Of the code interpreter. */
  sessionBegan(caller: ProjectCaller): void
}

export function createRuns(kernel: Kernel, parts: Parts) {
  const { db, ids, clock, log, events, blobs } = kernel
  const { inference, files, assistants, threads, messages, vectorStores, sessionBegan } = parts
  const sandbox = createPyodideSandbox({ log, cacheFolder: join(kernel.folder, 'sandbox') })
  const tools = [new FileSearch({ vectorStores }), new CodeInterpreter({ sandbox, db, blobs, files, sessionBegan })]
  const hub = new RunHub({ events, log, load: (id) => loadState(db.queries, messages, id) })
  const work = { db, ids, clock, log, inference, files, messages, threads, vectorStores, hub, tools }
  const jobs = new RunJobs({ ...work, contextLengths: new Map() }, kernel.jobs)
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
      await sandbox.close()
    },
  }
}

// Fine-tuning put together.
import { join } from 'node:path'
import type { Kernel } from '@atoll/kernel/kernel'
import type { Runtimes } from '@atoll/models/runtimes'
import type { PlatformConfig } from '../../config.ts'
import type { Files } from '../files/service.ts'
import type { Models } from '../models/service.ts'
import type { AdapterFiles } from './adapter-files.ts'
import { TuningJobs } from './jobs.ts'
import { fineTuningRoutes } from './routes.ts'
import { FineTuning } from './service.ts'

interface Parts {
  kernel: Kernel
  config: PlatformConfig
  files: Files
  models: Models
  adapters: AdapterFiles
  runtimes: Runtimes
}

export function createFineTuning({ kernel, config, files, models, adapters, runtimes }: Parts) {
  const fileOf = async (id: string): Promise<string | undefined> => {
    const runtime = config.models.find((model) => model.id === id)?.runtime
    return runtime === undefined ? undefined : runtimes.modelFile(runtime)
  }
  const folder = join(kernel.folder, 'fine-tuning')
  const jobs = new TuningJobs({ ...kernel, files, models, adapters, fileOf, folder, settings: config.fineTuning })
  models.onDelete((tx, id) => adapters.release(tx, [id]))
  return { routes: fineTuningRoutes(new FineTuning({ ...kernel, files, jobs })) }
}

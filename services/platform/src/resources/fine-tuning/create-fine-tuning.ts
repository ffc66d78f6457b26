// Fine-tuning put together.
import { join } from 'node:path'
import type { Kernel } from '@atoll/kernel/kernel'
import type { Runtimes } from '@atoll/models/runtimes'
import type { PlatformConfig } from '../../config.ts'
import { modelErrors } from '../../errors/errors.ts'
import type { Files } from '../files/service.ts'
import type { Models } from '../models/service.ts'
import type { AdapterFiles, FineTunedFiles } from './adapter-files.ts'
import { Bases } from './bases.ts'
import { TuningJobs } from './jobs.ts'
import { JobLedger } from './ledger.ts'
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
  const bases = new Bases(config, models, runtimes)
  const ledger = new JobLedger({ ...kernel, files, models, adapters })
  const jobs = new TuningJobs({
    ...{ ...kernel, files, adapters, ledger, settings: config.fineTuning },
    folder: join(kernel.folder, 'fine-tuning'),
    fileOf: (model) => bases.fileOf(model),
    serverOf: (model) => bases.serverOf(model),
    moderation: () => bases.moderation(),
    isBusy: () => bases.isBusy(),
  })
  models.onDelete((tx, id) => adapters.release(tx, [id]))
  return {
    close: () => jobs.close(),
    routes: fineTuningRoutes(new FineTuning({ ...kernel, files, jobs, bases })),
    /** Of whichever project: for whoever runs the server. */
    async filesOf(id: string): Promise<FineTunedFiles> {
      const found = await models.findFineTuned(id)
      const base = found && (await bases.fileOf(found.base_model))
      if (found?.has_adapter !== 1 || base === undefined) throw modelErrors.notFound(id)
      const trainedOn = { id: found.base_model, file: base, sha256: found.base_sha256 }
      return { base, adapter: await adapters.fileOf(id, trainedOn) }
    },
  }
}

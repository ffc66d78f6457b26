// Inference put together from the configuration.
import { join } from 'node:path'
import type { Kernel } from '@atoll/kernel/kernel'
import { createRuntimes, type Runtimes } from '@atoll/models/runtimes'
import type { PlatformConfig } from '../config.ts'
import type { RateLimits } from '../rate-limits/rate-limits.ts'
import type { Models } from '../resources/models/service.ts'
import { Catalogue } from './catalogue.ts'
import type { Inference, ModelCheck } from './inference.ts'
import { type Adapters, MeteredInference } from './metered-inference.ts'
import { UsageRecorder } from './usage/recorder.ts'
import { pruneUsageBy } from './usage/retention.ts'

export interface RunningInference extends Inference, ModelCheck {
  readonly runtimes: Runtimes
  readonly usage: UsageRecorder
  /** Stops all models and writes the rest of the usage. */
  close(): Promise<void>
}

interface Parts {
  kernel: Kernel
  config: PlatformConfig
  models: Models
  rateLimits: RateLimits
  /** Absent: those of the configuration. */
  runtimes?: Runtimes | undefined
  adapters: Adapters
}

export function createInference(parts: Parts): RunningInference {
  const { kernel, config, models, rateLimits, runtimes: given, adapters } = parts
  const { db, ids, clock, log, metrics } = kernel
  const modelsFolder = modelsFolderOf(kernel, config)
  const { chatModel, audio } = config
  const needs = { log, modelsFolder, chatModel, backgroundShare: config.batches.share, ffmpeg: audio.ffmpeg }
  const runtimes = given ?? createRuntimes(config.runtimes, needs)
  const usage = new UsageRecorder({ db, ids, log, folder: join(kernel.folder, 'usage') })
  pruneUsageBy(kernel, config.retention)
  watchLoad(kernel, runtimes)
  const catalogue = new Catalogue(config.models, config.runtimes)
  const spent = metrics.counter('atoll_list_price_dollars_total', 'What was used, by the price list; batches at half.')
  const inference = new MeteredInference({
    ...{ models, catalogue, runtimes, rateLimits, usage, clock, ids, log, spent, adapters },
  })
  return {
    check: (caller, id, port, endpoint) => inference.check(caller, id, port, endpoint),
    resolve: (caller, id, port, endpoint) => inference.resolve(caller, id, port, endpoint),
    meter: (caller, model, demand) => inference.meter(caller, model, demand),
    runtimes,
    usage,
    async close() {
      await runtimes.close()
      await usage.close()
    },
  }
}

/** Where GGUF files lie that were downloaded. */
export const modelsFolderOf = ({ folder }: Pick<Kernel, 'folder'>, { modelsFolder }: PlatformConfig): string =>
  modelsFolder ?? join(folder, 'models')

function watchLoad({ metrics }: Kernel, runtimes: Runtimes): void {
  const read = (figure: 'running' | 'waiting') => () =>
    runtimes.loads().map((load) => ({ labels: { runtime: load.name }, value: load[figure] }))
  metrics.gauge('atoll_model_running', 'Calls that a model is answering.', read('running'))
  metrics.gauge('atoll_model_waiting', 'Calls that wait for a model.', read('waiting'))
}

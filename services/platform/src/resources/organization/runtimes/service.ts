// What runs the models, as administrators see it: which ids each runtime answers, whether it can, and how busy it is.
import { basename } from 'node:path'
import type { RuntimeSettings } from '@atoll/models/config'
import type { Runtimes as RunningRuntimes, RuntimeState } from '@atoll/models/runtimes'
import { runtimeErrors } from '../../../errors/runtimes.ts'
import { answerModelProblem } from '../../../inference/problem-answer.ts'
import { type ModelSettings, servedBy } from '../../../inference/settings.ts'
import type { RuntimeList, RuntimeObject } from './schema.ts'

interface Parts {
  runtimes: RunningRuntimes
  models: readonly ModelSettings[]
  configured: Record<string, RuntimeSettings>
}

export class Runtimes {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async list(): Promise<RuntimeList> {
    const states = await this.#parts.runtimes.describe()
    return { object: 'list', data: states.map((state) => this.#present(state)) }
  }

  async get(name: string): Promise<RuntimeObject> {
    const { data } = await this.list()
    const found = data.find(({ id }) => id === name)
    if (found === undefined) throw runtimeErrors.notFound(name)
    return found
  }

  /** Resolves when its model is in memory. */
  async load(name: string): Promise<RuntimeObject> {
    const residence = await this.#residence(name)
    await residence.enter().catch(answerModelProblem)
    return this.get(name)
  }

  async unload(name: string): Promise<RuntimeObject> {
    const residence = await this.#residence(name)
    if (!(await residence.leave())) throw runtimeErrors.inUse(name)
    return this.get(name)
  }

  async #residence(name: string) {
    const runtime = await this.#parts.runtimes.get(name).catch(answerModelProblem)
    if (runtime === undefined) throw runtimeErrors.notFound(name)
    if (runtime.residence === undefined) throw runtimeErrors.notLoadable(name)
    return runtime.residence
  }

  #present({ name, kind, file, problem, load }: RuntimeState): RuntimeObject {
    const { models, configured } = this.#parts
    return {
      object: 'organization.runtime',
      id: name,
      kind,
      file: file === undefined ? null : basename(file),
      status: problem !== undefined ? 'unavailable' : load?.isLoaded ? 'loaded' : 'ready',
      problem: problem ?? null,
      running: load?.running ?? 0,
      waiting: load?.waiting ?? 0,
      is_loadable: kind === 'llama' && problem === undefined,
      models: models
        .filter((model) => model.runtime === name)
        .map((model) => ({ id: model.id, serves: [...servedBy(model, configured)] })),
    }
  }
}

// Files of models: what is in the folder, what can be had by name, and downloads of these. Only models of our own list
// are fetched: an administrator cannot make the server call an address of their choice.
import type { Log } from '@atoll/kernel/telemetry/log'
import { type CatalogueModel, catalogue, catalogueModel } from '@atoll/models/files/catalogue'
import { type InstalledModel, ModelFolder } from '@atoll/models/files/folder'
import { type RunningPull, startPull } from '@atoll/models/files/running-pull'
import { modelFileErrors } from '../../../errors/runtimes.ts'
import type { ModelFileList, ModelFileObject } from './schema.ts'

const maxPulls = 2

interface Parts {
  folder: string
  hub: string
  log: Log
}

export class ModelFiles {
  readonly #parts: Parts
  readonly #pulls = new Map<string, RunningPull>()
  /** Of pulls that ended so, until the next try. */
  readonly #problems = new Map<string, string>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async list(): Promise<ModelFileList> {
    const folder = new ModelFolder(this.#parts.folder)
    const [installed, partials] = await Promise.all([folder.list(), folder.partials()])
    const others = installed.filter(({ name }) => catalogueModel(name) === undefined)
    const listed = catalogue.map((model) => {
      const here = installed.find(({ name }) => name === model.name)
      if (here !== undefined) return presentInstalled(here)
      const begun = partials.find(({ name }) => name === model.name)
      return this.#presentListed(model, begun?.fetchedBytes)
    })
    return { object: 'list', data: [...others.map(presentInstalled), ...listed] }
  }

  async get(name: string): Promise<ModelFileObject> {
    const found = (await this.list()).data.find(({ id }) => id === name)
    if (found === undefined) throw modelFileErrors.notFound(name)
    return found
  }

  /** Goes on by itself; `get` tells how far it is. One that runs already is left alone. */
  async pull(name: string): Promise<ModelFileObject> {
    const { status, is_listed } = await this.get(name)
    if (!is_listed || status === 'installed') throw modelFileErrors.isHere(name)
    if (!this.#pulls.has(name)) this.#begin(name)
    return this.get(name)
  }

  async cancel(name: string): Promise<ModelFileObject> {
    await this.get(name)
    const running = this.#pulls.get(name)
    if (running === undefined) throw modelFileErrors.notPulling(name)
    running.stop()
    await running.ended
    return this.get(name)
  }

  async close(): Promise<void> {
    for (const pull of this.#pulls.values()) pull.stop()
    await Promise.all([...this.#pulls.values()].map(({ ended }) => ended))
  }

  #begin(name: string): void {
    if (this.#pulls.size >= maxPulls) throw modelFileErrors.tooManyPulls(maxPulls)
    const { folder, hub, log } = this.#parts
    const running = startPull({ what: name, folder, hub }, (line) => log.warn({ model: name }, line))
    this.#problems.delete(name)
    this.#pulls.set(name, running)
    void running.ended.then((problem) => {
      this.#pulls.delete(name)
      if (problem !== undefined) this.#problems.set(name, problem)
      log.info({ model: name, problem }, 'A download of a model ended')
    })
  }

  #presentListed(model: CatalogueModel, begunBytes: number | undefined): ModelFileObject {
    const running = this.#pulls.get(model.name)
    const resting = begunBytes === undefined ? 'available' : 'partial'
    const working = running?.isChecking ? 'checking' : 'pulling'
    return {
      object: 'organization.model_file',
      id: model.name,
      status: running === undefined ? resting : working,
      bytes: running?.bytes ?? model.bytes,
      fetched_bytes: running?.fetchedBytes ?? begunBytes ?? 0,
      problem: this.#problems.get(model.name) ?? null,
      parameters: model.parameters,
      license: model.license,
      description: model.goodFor,
      is_listed: true,
    }
  }
}

function presentInstalled({ name, bytes, info, problem }: InstalledModel): ModelFileObject {
  const known = catalogueModel(name)
  return {
    object: 'organization.model_file',
    id: name,
    status: 'installed',
    bytes,
    fetched_bytes: bytes,
    problem: problem ?? null,
    parameters: known?.parameters ?? (info === undefined ? null : String(info.parameterCount)),
    license: known?.license ?? info?.license ?? null,
    description: known?.goodFor ?? null,
    is_listed: known !== undefined,
  }
}

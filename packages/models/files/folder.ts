// The folder of model files: what is in it, and which file a name means.
import { readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { nearestName } from '@atoll/kernel/config/nearest-name'
import { GgufProblem } from '../gguf/problem.ts'
import { type GgufInfo, readGguf } from '../gguf/read.ts'
import { catalogue } from './catalogue.ts'
import { readJson } from './durable-json.ts'
import { isModelFile, modelName } from './file-name.ts'
import { withLock } from './lock.ts'
import { readOrigin } from './origin.ts'
import { PartState } from './part-file.ts'
import { modelPaths } from './paths.ts'
import { Pieces } from './pieces.ts'
import { ModelFileProblem } from './problem.ts'

export interface InstalledModel {
  /** What to call it: `qwen2.5-0.5b-instruct`. */
  name: string
  path: string
  bytes: number
  /** In milliseconds since 1970. */
  modifiedAt: number
  /** Absent when the file cannot be read; `problem` says why. */
  info: GgufInfo | undefined
  problem: string | undefined
  /** Known when Atoll fetched it. */
  sha256: string | undefined
}

export interface PartialModel {
  name: string
  file: string
  fetchedBytes: number
  /** Unknown when nothing can be gone on with. */
  bytes: number | undefined
}

const partEnding = /\.part$/

export class ModelFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  async list(): Promise<InstalledModel[]> {
    const models: InstalledModel[] = []
    for (const file of await this.#modelFiles()) {
      const { model, origin } = modelPaths(this.path, file)
      const found = await stat(model).catch(() => undefined)
      if (!found?.isFile()) continue
      const { info, problem } = await described(model)
      const sha256 = (await readOrigin(origin))?.sha256
      const { size: bytes, mtimeMs: modifiedAt } = found
      models.push({ name: nameOf(file), path: model, bytes, modifiedAt, info, problem, sha256 })
    }
    return models
  }

  /** Downloads that were not finished. */
  async partials(): Promise<PartialModel[]> {
    const partials: PartialModel[] = []
    for (const entry of await this.#entries()) {
      const file = entry.replace(partEnding, '')
      if (file === entry || !isModelFile(file)) continue
      const state = await readJson(modelPaths(this.path, file).partState, PartState)
      const fetchedBytes = state ? new Pieces(state.bytes, state.pieceBytes, state.done).doneBytes : 0
      partials.push({ name: nameOf(file), file, fetchedBytes, bytes: state?.bytes })
    }
    return partials
  }

  /** The path of the file that a name, a file name or an absolute path means. */
  async resolve(name: string): Promise<string> {
    if (isAbsolute(name)) {
      if ((await stat(name).catch(() => undefined))?.isFile()) return name
      throw new ModelFileProblem(`there is no file ${name}`)
    }
    return join(this.path, oneOf(name, await this.#modelFiles(), this.path))
  }

  /** The file, what belongs to it, and what was fetched of it; returns the bytes freed. */
  async remove(name: string): Promise<{ file: string; freedBytes: number }> {
    const files = [...(await this.#modelFiles()), ...(await this.partials()).map(({ file }) => file)]
    const file = oneOf(this.#inside(name), [...new Set(files)], this.path)
    const paths = modelPaths(this.path, file)
    return withLock(paths.lock, file, async () => {
      let freedBytes = 0
      for (const path of [paths.partState, paths.part, paths.origin, paths.model]) {
        freedBytes += (await stat(path).catch(() => undefined))?.blocks ?? 0
        await rm(path, { force: true })
      }
      return { file, freedBytes: freedBytes * 512 }
    })
  }

  #inside(name: string): string {
    const plain = !/[\\/]/.test(name)
    if (plain || (isAbsolute(name) && dirname(resolve(name)) === resolve(this.path)))
      return plain ? name : basename(name)
    throw new ModelFileProblem(`${name} is not in ${this.path}: only files of this folder are removed`)
  }

  #modelFiles = async (): Promise<string[]> => (await this.#entries()).filter(isModelFile)

  #entries = async (): Promise<string[]> => {
    try {
      return (await readdir(this.path)).sort()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }
}

async function described(path: string): Promise<{ info: GgufInfo | undefined; problem: string | undefined }> {
  try {
    return { info: await readGguf(path), problem: undefined }
  } catch (error) {
    if (error instanceof GgufProblem || (error as NodeJS.ErrnoException).code === 'EACCES') {
      return { info: undefined, problem: (error as Error).message }
    }
    throw error
  }
}

const nameOf = (file: string): string => catalogue.find((model) => model.file === file)?.name ?? modelName(file)

function oneOf(name: string, files: readonly string[], folder: string): string {
  const wanted = name.toLowerCase()
  const exact = files.filter((file) => [file.toLowerCase(), file.toLowerCase().replace(/\.gguf$/, '')].includes(wanted))
  const named = exact.length > 0 ? exact : files.filter((file) => nameOf(file) === wanted)
  if (named[0] !== undefined && named.length === 1) return named[0]
  if (named.length > 1) throw new ModelFileProblem(`${name} could be ${named.join(' or ')}: name the file`)
  const nearest = nearestName(name, files.map(nameOf))
  const pullable = catalogue.some((model) => model.name === wanted)
  const advice = pullable
    ? `get it with ./atoll models pull ${wanted}`
    : nearest
      ? `did you mean ${nearest}?`
      : 'see ./atoll models list'
  throw new ModelFileProblem(`there is no model ${name.slice(0, 200)} in ${folder}; ${advice}`)
}

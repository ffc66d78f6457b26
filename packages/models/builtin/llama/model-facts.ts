// What is known of a model without loading it.
import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename } from 'node:path'
import { GgufProblem } from '../../gguf/problem.ts'
import { type GgufInfo, readGguf } from '../../gguf/read.ts'
import { ModelProblem } from '../../problem.ts'
import { MemoryBudget } from '../../process/memory-budget.ts'
import { planEmbeddings } from './plan-embeddings.ts'
import { cacheBytesPerToken, planMemory } from './plan-memory.ts'
import type { LoadOptions } from './protocol.ts'
import type { LlamaSettings } from './settings.ts'

export interface ModelFacts {
  /** What answers: the file's name without its ending. */
  name: string
  /** Changes with anything that may change an answer. */
  fingerprint: string
  info: GgufInfo
  load: LoadOptions
  /** What it takes once it is loaded. */
  memoryBytes: number
}

/** Throws a ModelProblem when the file cannot be served, as far as its head tells. */
export async function readFacts(settings: LlamaSettings): Promise<ModelFacts> {
  const { file, sha256, threads = Math.max(1, availableParallelism() - 1) } = settings
  const [info, { size, mtimeMs }] = await Promise.all([readGguf(file), stat(file)]).catch((error: unknown) => {
    throw cannotUse(file, reasonOf(error))
  })
  if (info.parameterCount === 0) throw cannotUse(file, 'it holds a vocabulary and no model')
  if (info.vocabularySize === undefined) throw cannotUse(file, 'it has no vocabulary')
  const load = { file, sha256, threads, ...planMemory(info, settings) }
  const digest = createHash('sha256').update(
    JSON.stringify([basename(file), size, mtimeMs, load.contextLength, threads, load.keyBits]),
  )
  const fingerprint = `fp_${digest.digest('hex').slice(0, 10)}`
  const memoryBytes = info.fileBytes + load.contextLength * load.slots * cacheBytesPerToken(info, load.keyBits)
  return { name: basename(file).replace(/\.gguf$/i, ''), fingerprint, info, load, memoryBytes }
}

/** As `readFacts`, and whether the memory of this machine holds it. What it tells costs no process and no loading. */
export async function checkModelFile(settings: LlamaSettings): Promise<void> {
  const { info, load, memoryBytes } = await readFacts(settings)
  const isForEmbeddings = info.pooling !== undefined
  const bytes = isForEmbeddings ? planEmbeddings(info, settings, load.threads).memoryBytes : memoryBytes
  new MemoryBudget().mustHold(bytes)
}

export const cannotUse = (file: string, reason: string): ModelProblem =>
  new ModelProblem(`The model file ${basename(file)} cannot be used: ${reason}`, { kind: 'not_installed' })

/** The system's own words name folders of the machine: callers must not see them. */
function reasonOf(error: unknown): string {
  if (error instanceof GgufProblem) return error.message
  const { code = 'unknown error' } = error as NodeJS.ErrnoException
  return code === 'ENOENT' ? 'it does not exist' : `it cannot be read (${code})`
}

// The files that belong to one model in the folder.
import { join } from 'node:path'

export interface ModelPaths {
  model: string
  /** Where it came from, and its checksum. */
  origin: string
  /** What is fetched of it so far, and which parts those are. */
  part: string
  partState: string
  lock: string
}

export function modelPaths(folder: string, file: string): ModelPaths {
  const model = join(folder, file)
  return {
    model,
    origin: `${model}.json`,
    part: `${model}.part`,
    partState: `${model}.part.json`,
    lock: `${model}.lock`,
  }
}

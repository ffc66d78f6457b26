// Adapters that an earlier attempt of a training has left, one after each epoch.
import { join } from 'node:path'
import { GgufProblem } from '@atoll/models/gguf/problem'
import { readGgufParts } from '@atoll/models/gguf/read'
import { baseSha256Key } from '../adapter-file.ts'

export interface KeptEpoch {
  epoch: number
  step: number
  file: string
}

interface Attempt {
  folder: string
  baseSha256: string
  stepsPerEpoch: number
  doneSteps: number
}

export const epochFile = (folder: string, epoch: number): string => join(folder, `epoch-${epoch}.gguf`)

/** Those that are there whole, and were made for this base. */
export async function keptEpochs({ folder, baseSha256, stepsPerEpoch, doneSteps }: Attempt): Promise<KeptEpoch[]> {
  const kept: KeptEpoch[] = []
  for (let epoch = 1; epoch * stepsPerEpoch <= doneSteps; epoch++) {
    const file = epochFile(folder, epoch)
    if (await isWhole(file, baseSha256)) kept.push({ epoch, step: epoch * stepsPerEpoch, file })
  }
  return kept
}

async function isWhole(file: string, baseSha256: string): Promise<boolean> {
  try {
    const { values } = await readGgufParts(file)
    return values.get(baseSha256Key) === baseSha256
  } catch (error) {
    if (error instanceof GgufProblem || (error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

// An adapter's file, read back: two thin matrices for each matrix of its base.
import { open } from 'node:fs/promises'
import { readGgufParts } from '@atoll/models/gguf/read'
import { baseSha256Key } from '../adapter-file.ts'
import { TrainerProblem } from '../problem.ts'

export interface ThinPair {
  rank: number
  /** `rank` rows, each as long as a row of the matrix. */
  a: Float32Array
  /** A row of `rank` for each row of the matrix. */
  b: Float32Array
}

export interface AdapterParts {
  /** What the products are multiplied by. */
  alpha: number
  /** By the name of the base's tensor. */
  pairs: Map<string, ThinPair>
  /** Of the base's file, where the adapter tells it. */
  baseSha256: string | undefined
}

export async function readAdapter(file: string): Promise<AdapterParts> {
  const { values, tensors } = await readGgufParts(file)
  const alpha = values.get('adapter.lora.alpha')
  if (typeof alpha !== 'number') throw new TrainerProblem(`what it was fine-tuned with is no adapter: ${file}`)
  const found = new Map<string, { shape: number[]; offset: number }>()
  for (const { name, shape, kind, offset } of tensors.list) {
    if (kind !== 0) throw new TrainerProblem('its adapter is not written in full precision')
    found.set(name, { shape, offset: tensors.start + offset })
  }
  const pairs = new Map<string, ThinPair>()
  const handle = await open(file)
  const read = async ({ shape, offset }: { shape: number[]; offset: number }): Promise<Float32Array> => {
    const numbers = new Float32Array(shape.reduce((product, size) => product * size, 1))
    const bytes = new Uint8Array(numbers.buffer)
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, offset)
    if (bytesRead < bytes.length) throw new TrainerProblem('its adapter is damaged')
    return numbers
  }
  try {
    for (const [name, first] of found) {
      const target = /^(.*)\.lora_a$/.exec(name)?.[1]
      const second = target === undefined ? undefined : found.get(`${target}.lora_b`)
      if (target === undefined || second === undefined) continue
      pairs.set(target, { rank: first.shape[1] ?? 1, a: await read(first), b: await read(second) })
    }
  } finally {
    await handle.close()
  }
  const sha256 = values.get(baseSha256Key)
  return { alpha, pairs, baseSha256: typeof sha256 === 'string' && sha256 !== '' ? sha256 : undefined }
}

// An adapter as the file that llama.cpp reads.
import { writeGguf } from '@atoll/models/gguf/write'
import type { AdapterLayout } from './model/adapter.ts'
import { tensorName } from './model/base-model.ts'

export interface AdapterNotes {
  /** Of the base model: `llama`, `qwen2`. */
  architecture: string
  name: string
  /** The SHA-256 of the base model's file: with another one the adapter makes no sense. */
  baseSha256: string
}

export const baseSha256Key = 'atoll.base.sha256'

export function writeAdapter(file: string, layout: AdapterLayout, parameters: Float32Array, notes: AdapterNotes): void {
  const { rank, scale, matrices } = layout
  const metadata = {
    'general.type': 'adapter',
    'general.architecture': notes.architecture,
    'general.name': notes.name,
    'adapter.type': 'lora',
    'adapter.lora.alpha': { f32: scale * rank },
    [baseSha256Key]: notes.baseSha256,
  }
  const tensors = matrices.flatMap(({ layer, name, inputs, outputs, a, b }) => [
    { name: `${tensorName(layer, name)}.lora_a`, shape: [inputs, rank], data: parameters.slice(a, a + rank * inputs) },
    {
      name: `${tensorName(layer, name)}.lora_b`,
      shape: [rank, outputs],
      data: parameters.slice(b, b + rank * outputs),
    },
  ])
  writeGguf(file, metadata, tensors)
}

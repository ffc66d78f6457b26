// An adapter as the file that llama.cpp reads, and a model with an adapter worked into it.
import { writeGguf } from '@atoll/models/gguf/write'
import type { AdapterLayout } from './model/adapter.ts'
import { tensorName } from './model/base-model.ts'

export interface AdapterNotes {
  /** Of the base model: `llama`, `qwen2`. */
  architecture: string
  name: string
}

export function writeAdapter(file: string, layout: AdapterLayout, parameters: Float32Array, notes: AdapterNotes): void {
  const { rank, scale, matrices } = layout
  const metadata = {
    'general.type': 'adapter',
    'general.architecture': notes.architecture,
    'general.name': notes.name,
    'adapter.type': 'lora',
    'adapter.lora.alpha': { f32: scale * rank },
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

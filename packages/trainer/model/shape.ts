// The sizes of a model that can be trained, as its file tells them.
import type { GgufParts } from '@atoll/models/gguf/read'
import { TrainerProblem } from '../problem.ts'

export interface Shape {
  layers: number
  width: number
  heads: number
  /** Of keys and values: several heads share one. */
  sharedHeads: number
  headSize: number
  hidden: number
  vocabulary: number
  contextLength: number
  epsilon: number
  rotation: {
    base: number
    /** How many numbers of a head are turned. */
    size: number
    /** Whether a number is turned with its neighbour, or with the one half a head away. */
    pairs: 'neighbours' | 'halves'
  }
}

const pairsOf: Record<string, Shape['rotation']['pairs']> = { llama: 'neighbours', qwen2: 'halves' }
const defaultRotationBase = 10_000
const defaultEpsilon = 1e-5

export function shapeOf({ info, values }: GgufParts): Shape {
  const { architecture } = info
  const pairs = pairsOf[architecture]
  if (pairs === undefined) {
    throw new TrainerProblem(`a model of the family ${architecture} cannot be trained: llama and qwen2 can`)
  }
  if (values.get(`${architecture}.rope.scaling.factor`) !== undefined) {
    throw new TrainerProblem('its positions are stretched (rope scaling), which training does not know')
  }
  const number = (key: string): number | undefined => {
    const value = values.get(`${architecture}.${key}`)
    return typeof value === 'number' ? value : undefined
  }
  const needed = (key: string): number => {
    const value = number(key)
    if (value !== undefined && value > 0) return value
    throw new TrainerProblem(`its file does not tell ${architecture}.${key} as one number`)
  }
  const [width, heads] = [needed('embedding_length'), needed('attention.head_count')]
  const headSize = number('attention.key_length') ?? width / heads
  const turned = number('rope.dimension_count') ?? headSize
  if (width % 4 !== 0 || turned % 8 !== 0) {
    throw new TrainerProblem(`its width ${width} or its heads of ${turned} are no multiples that training knows`)
  }
  return {
    layers: needed('block_count'),
    width,
    heads,
    sharedHeads: number('attention.head_count_kv') ?? heads,
    headSize,
    hidden: needed('feed_forward_length'),
    vocabulary: info.vocabularySize ?? needed('vocab_size'),
    contextLength: needed('context_length'),
    epsilon: number('attention.layer_norm_rms_epsilon') ?? defaultEpsilon,
    rotation: {
      base: number('rope.freq_base') ?? defaultRotationBase,
      size: turned,
      pairs,
    },
  }
}

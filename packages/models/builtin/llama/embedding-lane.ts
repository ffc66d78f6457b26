// A context of an embedding model and those who wait for it: one input after the other, who has least left first.
import type { Pooling } from '../../gguf/types.ts'
import { ModelProblem } from '../../problem.ts'
import { WorkTurns } from '../../process/work-turns.ts'
import type { Addon, AddonContext, AddonModel } from './addon.ts'
import type { Lane } from './plan-embeddings.ts'

export interface LaneWork {
  signal: AbortSignal
  isBackground: boolean
  /** Tokens of its request that are still to be computed. */
  left: number
}

export class EmbeddingLane {
  readonly #plan: Lane
  readonly #pooling: Pooling | undefined
  readonly #open: () => Promise<AddonContext>
  readonly #turns = new WorkTurns()
  #context: Promise<AddonContext> | undefined

  constructor(addon: Addon, model: AddonModel, plan: Lane, pooling: Pooling | undefined) {
    this.#plan = plan
    this.#pooling = pooling
    this.#open = () => openContext(addon, model, plan)
  }

  get longest(): number {
    return this.#plan.tokens
  }

  /** A vector of length 1. */
  embed(tokens: readonly number[], { signal, isBackground, left }: LaneWork): Promise<Float32Array> {
    return this.#turns.slice(this.#turns.next(isBackground), left, async () => {
      signal.throwIfAborted()
      this.#context ??= this.#open()
      return toLength1(await this.#compute(await this.#context, tokens, signal))
    })
  }

  /** Slice by slice, so that a caller who leaves is soon rid of. What all slices give together is what one would. */
  async #compute(context: AddonContext, tokens: readonly number[], signal: AbortSignal): Promise<Float64Array> {
    context.disposeSequence(0)
    let sum: Float64Array | undefined
    for (let at = 0; at < tokens.length; at += this.#plan.sliceTokens) {
      signal.throwIfAborted()
      const slice = Uint32Array.from(tokens.slice(at, at + this.#plan.sliceTokens))
      context.initBatch(slice.length)
      context.addToBatch(0, at, slice, Uint32Array.from(slice.keys()))
      await context.decodeBatch()
      const vector = context.getEmbedding(slice.length)
      if (this.#pooling === 'mean') sum = weighed(sum, vector, slice.length)
      else if (this.#pooling === 'last' || sum === undefined) sum = vector
    }
    return sum ?? new Float64Array()
  }
}

async function openContext(addon: Addon, model: AddonModel, plan: Lane): Promise<AddonContext> {
  const context = new addon.AddonContext(model, {
    contextSize: plan.tokens,
    batchSize: plan.sliceTokens,
    sequences: 1,
    threads: plan.threads,
    flashAttention: false,
    embeddings: true,
  })
  if (await context.init()) return context
  throw new ModelProblem('there is not enough memory', { kind: 'not_installed' })
}

/** The mean of all tokens is the mean of the slices' means, weighed by their tokens. */
function weighed(sum: Float64Array | undefined, vector: Float64Array, weight: number): Float64Array {
  return vector.map((value, at) => value * weight + (sum?.[at] ?? 0))
}

function toLength1(vector: Float64Array): Float32Array {
  const length = Math.hypot(...vector) || 1
  return Float32Array.from(vector, (value) => value / length)
}

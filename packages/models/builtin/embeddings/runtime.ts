// The built-in embeddings, in the width that a public model has. weights/embeddings/CARD.md tells about the model.
import { mapInTurns } from '@atoll/kernel/loop-turns'
import type { Call } from '../../call.ts'
import type { EmbedAnswer, EmbedRequest } from '../../embed.ts'
import { ModelProblem } from '../../problem.ts'
import type { Runtime } from '../../runtime.ts'
import type { Encoder } from './encoder.ts'
import { readInputs } from './read-inputs.ts'
import { aboutModel } from './tables.ts'
import { widen } from './width.ts'

interface EmbeddingsRuntimeOptions {
  /** How many numbers an embedding has. */
  dimensions: number
  /** Whether a caller may ask for fewer. */
  shortens: boolean
}

/** Runtimes of several widths may share an encoder. Closing one stops it; another that still needs it starts it anew. */
export function createEmbeddingsRuntime(options: EmbeddingsRuntimeOptions, encoder: Encoder): Runtime {
  const { name: edition, meaningWeight } = aboutModel
  const embed = async (request: EmbedRequest, call: Call): Promise<EmbedAnswer> => {
    const width = chosenWidth(request.dimensions, options)
    const leave = encoder.admit(request.inputs.length, call)
    try {
      const read = await readInputs(request.inputs, encoder, call)
      const promptTokens = read.reduce((sum, { tokens }) => sum + tokens, 0)
      const vectors = await mapInTurns(read, ({ sum }) => widen(sum, width))
      return { model: edition, vectors, promptTokens, edition, meaningWeight }
    } finally {
      leave()
    }
  }
  return { embeddings: { edition, embed }, close: () => encoder.close() }
}

function chosenWidth(asked: number | undefined, { dimensions, shortens }: EmbeddingsRuntimeOptions): number {
  if (asked === undefined) return dimensions
  const param = 'dimensions'
  if (!shortens) {
    throw new ModelProblem('This model does not support specifying dimensions.', { kind: 'unsupported', param })
  }
  if (Number.isInteger(asked) && asked >= 1 && asked <= dimensions) return asked
  throw new ModelProblem(
    `Invalid value for 'dimensions' = ${asked}. It must be a whole number from 1 to ${dimensions} for this model.`,
    { kind: 'invalid', param },
  )
}

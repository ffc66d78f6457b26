// The built-in embeddings: the Universal Sentence Encoder, in the width that a public model has.
import type { Call } from '../../call.ts'
import type { EmbedAnswer, EmbedRequest } from '../../embed.ts'
import { ModelProblem } from '../../problem.ts'
import type { Runtime } from '../../runtime.ts'
import type { Encoder } from './encoder.ts'
import { readInputs } from './read-inputs.ts'
import { modelName } from './sentence-model.ts'
import { widen } from './width.ts'

interface EmbeddingsRuntimeOptions {
  /** How many numbers an embedding has. */
  dimensions: number
  /** Whether a caller may ask for fewer. */
  shortens: boolean
}

/** Runtimes of several widths may share an encoder. Closing one stops it; another that still needs it starts it anew. */
export function createEmbeddingsRuntime(options: EmbeddingsRuntimeOptions, encoder: Encoder): Runtime {
  const embed = async (request: EmbedRequest, call: Call): Promise<EmbedAnswer> => {
    const width = chosenWidth(request.dimensions, options)
    const leave = encoder.admit(request.inputs.length, call)
    try {
      const short = shortTexts(request.inputs)
      if (short !== undefined) {
        const answers = await encoder.short(short, call)
        const promptTokens = answers.reduce((sum, { tokens }) => sum + tokens, 0)
        return { model: modelName, vectors: answers.map(({ sum }) => widen(sum, width)), promptTokens }
      }
      const { texts, tokens } = await readInputs(request.inputs, encoder, call)
      const sums = await encoder.encode(texts, call)
      return { model: modelName, vectors: sums.map((sum) => widen(sum, width)), promptTokens: tokens }
    } finally {
      leave()
    }
  }
  return { embeddings: { embed }, close: () => encoder.close() }
}

const maxShortInputs = 4
const maxShortCharacters = 1_000

/** Of a request that is small enough to be answered together with others. */
function shortTexts(inputs: EmbedRequest['inputs']): string[] | undefined {
  if (inputs.length > maxShortInputs) return undefined
  const texts = inputs.filter((input) => typeof input === 'string')
  const isShort = ({ length }: string): boolean => length > 0 && length <= maxShortCharacters
  return texts.length === inputs.length && texts.every(isShort) ? texts : undefined
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

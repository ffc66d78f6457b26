// Inputs read to vectors and numbers of tokens, or what is wrong with them.
import type { Call } from '../../call.ts'
import type { EmbedRequest } from '../../embed.ts'
import { ModelProblem } from '../../problem.ts'
import type { Encoder } from './encoder.ts'
import { maxInputTokens, type ReadText } from './text-reader.ts'
import { isToken } from './token-ids.ts'

/** No token is longer: a text with more characters cannot be short enough, and need not be counted. */
const maxTokenCharacters = 128
/** Of all texts of a request that is read at once: a millisecond or so. */
const maxShortCharacters = 1_024
/** Of a note, which must not wait for a thread that steps back behind all others. */
const maxNoteCharacters = 128
const maxShortInputs = 16

type Inputs = EmbedRequest['inputs']

/** In the order of the inputs. */
export async function readInputs(inputs: Inputs, encoder: Encoder, call: Call): Promise<ReadText[]> {
  for (const [index, input] of inputs.entries()) refuseImpossible(input, paramOf(inputs, index))
  const short = shortTexts(inputs, call.background ? maxNoteCharacters : maxShortCharacters)
  if (short !== undefined) return encoder.short(short, call)
  const decoded = await encoder.decode(
    inputs.filter((input) => typeof input !== 'string'),
    call,
  )
  const texts = inputs.map((input) => (typeof input === 'string' ? input : (decoded.shift() ?? '')))
  const read = await encoder.read(texts, call)
  return read.map((one, index) => {
    const input = inputs[index]
    // Tokens count as they were sent: the text they stand for may have others.
    const tokens = input === undefined || typeof input === 'string' ? one.tokens : input.length
    if (tokens > maxInputTokens) throw tooLong(tokens, paramOf(inputs, index))
    return { ...one, tokens }
  })
}

/** Of a request that is small enough to be answered at once. */
function shortTexts(inputs: Inputs, maxCharacters: number): string[] | undefined {
  if (inputs.length > maxShortInputs) return undefined
  const texts = inputs.filter((input) => typeof input === 'string')
  const characters = texts.reduce((sum, { length }) => sum + length, 0)
  return texts.length === inputs.length && characters <= maxCharacters ? texts : undefined
}

function refuseImpossible(input: Inputs[number], param: string): void {
  if (input.length === 0) throw new ModelProblem('An input cannot be empty.', { kind: 'invalid', param })
  if (typeof input === 'string') {
    if (input.length <= maxInputTokens * maxTokenCharacters) return
    throw new ModelProblem(
      `This model's maximum context length is ${maxInputTokens} tokens, however '${param}' has ${input.length} characters, which are more tokens than that. Please reduce its length.`,
      { kind: 'invalid', param },
    )
  }
  if (input.length > maxInputTokens) throw tooLong(input.length, param)
  const wrong = input.find((id) => !isToken(id))
  if (wrong === undefined) return
  const message = `Invalid token: ${wrong} is no token of the encoding cl100k_base, which this model uses.`
  throw new ModelProblem(message, { kind: 'invalid', param })
}

/** A text that is far longer is not counted to its end. */
function tooLong(requestedTokens: number, param: string): ModelProblem {
  const atLeast = requestedTokens > 2 * maxInputTokens
  return new ModelProblem(
    `This model's maximum context length is ${maxInputTokens} tokens, however you requested ${atLeast ? 'at least ' : ''}${requestedTokens} tokens. Please reduce the length of '${param}'.`,
    { kind: 'context_length', maxTokens: maxInputTokens, requestedTokens, param, ...(atLeast && { atLeast }) },
  )
}

const paramOf = (inputs: Inputs, index: number): string => (inputs.length === 1 ? 'input' : `input[${index}]`)

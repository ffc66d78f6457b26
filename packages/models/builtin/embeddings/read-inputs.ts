// Inputs as texts with their numbers of tokens, or what is wrong with them.
import type { Call } from '../../call.ts'
import type { EmbedRequest } from '../../embed.ts'
import { ModelProblem } from '../../problem.ts'
import type { Encoder } from './encoder.ts'
import { maxInputTokens } from './protocol.ts'
import { isToken } from './token-ids.ts'

/** No token is longer: a text with more characters cannot be short enough, and need not be counted. */
const maxTokenCharacters = 128

type Inputs = EmbedRequest['inputs']

interface ReadInputs {
  texts: string[]
  tokens: number
}

export async function readInputs(inputs: Inputs, encoder: Encoder, call: Call): Promise<ReadInputs> {
  for (const [index, input] of inputs.entries()) refuseImpossible(input, paramOf(inputs, index))
  const texts = inputs.filter((input) => typeof input === 'string')
  const tokens = inputs.filter((input) => typeof input !== 'string')
  const counts = await encoder.countTokens(texts, call)
  const decoded = await encoder.decode(tokens, call)
  const read: ReadInputs = { texts: [], tokens: 0 }
  for (const [index, input] of inputs.entries()) {
    const isText = typeof input === 'string'
    const count = (isText ? counts.shift() : input.length) ?? 0
    if (count > maxInputTokens) throw tooLong(count, paramOf(inputs, index))
    read.texts.push((isText ? input : decoded.shift()) ?? '')
    read.tokens += count
  }
  return read
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

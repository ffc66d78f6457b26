// Embeddings by a model server. Asked for as base64, a third of the bytes; servers that send numbers are understood too.
import type { Call } from '../call.ts'
import type { EmbedAnswer, EmbeddingModel, EmbedRequest } from '../embed.ts'
import { textOr, unsupported } from './choice.ts'
import { isObject } from './error-body.ts'
import { senseless } from './problems.ts'
import type { Server } from './server.ts'
import { readUsage, tokensOfPrompt } from './usage.ts'

const bytesPerNumber = 4

export class UpstreamEmbeddings implements EmbeddingModel {
  readonly #server: Server
  readonly #model: string

  constructor(server: Server, model: string) {
    this.#server = server
    this.#model = model
  }

  async embed(request: EmbedRequest, call: Call): Promise<EmbedAnswer> {
    const { inputs, dimensions, user } = request
    const body: Record<string, unknown> = { model: this.#model, input: inputs, encoding_format: 'base64' }
    if (dimensions !== undefined) body.dimensions = dimensions
    if (user !== undefined) body.user = user
    const { json } = await this.#server.ask('/embeddings', body, call)
    if (!isObject(json) || !Array.isArray(json.data)) throw senseless('sent an answer without embeddings')
    const vectors = inOrder(json.data, inputs.length)
    if (dimensions !== undefined && vectors.some(({ length }) => length !== dimensions)) throw unsupported('dimensions')
    return {
      model: textOr(json.model, this.#model),
      vectors,
      promptTokens:
        readUsage(json.usage)?.prompt_tokens ?? inputs.reduce((sum, input) => sum + tokensOfPrompt(input), 0),
    }
  }
}

function inOrder(data: unknown[], count: number): Float32Array[] {
  const vectors = new Array<Float32Array>(count)
  for (const [at, entry] of data.entries()) {
    if (!isObject(entry)) throw senseless('sent an embedding that is no object')
    const index = Number.isSafeInteger(entry.index) ? (entry.index as number) : at
    if (index < 0 || index >= count || vectors[index]) throw senseless('sent embeddings that nobody asked for')
    vectors[index] = readVector(entry.embedding)
  }
  const length = vectors[0]?.length
  for (let at = 0; at < count; at++) {
    if (!vectors[at]) throw senseless('sent fewer embeddings than were asked for')
    if (vectors[at]?.length !== length) throw senseless('sent embeddings of different lengths')
  }
  return vectors
}

function readVector(given: unknown): Float32Array {
  if (typeof given === 'string') return fromBase64(given)
  if (!Array.isArray(given) || given.length === 0) throw senseless('sent an embedding without numbers')
  const vector = new Float32Array(given.length)
  for (let at = 0; at < given.length; at++) {
    const value: unknown = given[at]
    if (typeof value !== 'number') throw senseless('sent an embedding that holds something else than numbers')
    vector[at] = value
  }
  return vector
}

/** Little-endian, as this machine is; decoded in place. */
function fromBase64(text: string): Float32Array {
  const bytes = Buffer.byteLength(text, 'base64')
  if (bytes === 0 || bytes % bytesPerNumber !== 0) throw senseless('sent an embedding without numbers')
  const vector = new Float32Array(bytes / bytesPerNumber)
  const written = Buffer.from(vector.buffer).write(text, 'base64')
  if (written !== bytes || !vector.every(Number.isFinite)) throw senseless('sent an embedding that is damaged')
  return vector
}

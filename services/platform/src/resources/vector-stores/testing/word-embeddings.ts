// Embeddings for tests: texts that share words are near each other. Quick, and can be held or made to fail.
import type { EmbedRequest } from '@atoll/models/embed'
import type { Runtime } from '@atoll/models/runtime'

const usualNumbers = 512

export class WordEmbeddings {
  readonly #edition: string | undefined
  readonly #numbers: number
  /** All texts that were embedded. */
  readonly texts: string[] = []
  /** Runs before each answer. */
  before: (texts: readonly string[], signal: AbortSignal) => Promise<void> | void = () => undefined

  /** Vectors of different editions have nothing to do with one another. */
  constructor(edition?: string, numbers = usualNumbers) {
    this.#edition = edition
    this.#numbers = numbers
  }

  vectorOf(text: string): Float32Array {
    return vectorOf(text, this.#numbers, this.#edition)
  }

  /** What `start` takes as `runtimes`. */
  get runtimes(): Record<string, Runtime> {
    const edition = this.#edition === undefined ? {} : { edition: this.#edition }
    const embed = async (request: EmbedRequest, { signal }: { signal: AbortSignal }) => {
      const texts = request.inputs.map((input) => String(input))
      await this.before(texts, signal)
      signal.throwIfAborted()
      this.texts.push(...texts)
      const vectors = texts.map((text) => this.vectorOf(text))
      return { model: 'words', vectors, promptTokens: texts.join(' ').split(/\s+/).length, ...edition }
    }
    return { 'builtin-embeddings': { embeddings: { embed, ...edition }, close: async () => undefined } }
  }
}

function vectorOf(text: string, numbers: number, edition = ''): Float32Array {
  const vector = new Float32Array(numbers)
  for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
    let hash = 7
    for (const letter of edition + word) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0
    const at = hash % numbers
    vector[at] = (vector[at] ?? 0) + 1
  }
  const length = Math.hypot(...vector)
  return vector.map((value) => (length === 0 ? 0 : value / length))
}

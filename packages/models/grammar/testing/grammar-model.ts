// As much of llama.cpp as it takes to let a model write under a grammar.
import { byteLetters } from '../../gguf/byte-letters.ts'
import { specialTokens } from '../../testing/random-gguf.ts'
import { addon, addonFolder, parseGrammar } from './llama-addon.ts'

interface Model {
  init(): Promise<boolean>
  dispose(): Promise<void>
  tokenize(text: string, specialTokens: boolean): Uint32Array
  detokenize(tokens: Uint32Array, specialTokens: boolean): string
  isEogToken(token: number): boolean
}

interface Context {
  init(): Promise<boolean>
  dispose(): Promise<void>
  disposeSequence(sequence: number): void
  initBatch(size: number): void
  addToBatch(sequence: number, position: number, tokens: Uint32Array, logits: Uint32Array): number[]
  decodeBatch(): Promise<void>
  sampleToken(logit: number, sampler: Sampler): Promise<number>
}

interface Sampler {
  applyConfig(config: Record<string, unknown>): void
  dispose(): void
}

interface Llama {
  loadBackends(folder?: string): void
  init(): Promise<void>
  AddonModel: new (file: string, options: object) => Model
  AddonContext: new (model: Model, options: object) => Context
  AddonSampler: new (model: Model) => Sampler
  AddonGrammarEvaluationState: new (model: Model, grammar: object) => object
}

const llama = addon as unknown as Llama

export class GrammarModel {
  readonly #model: Model
  readonly #context: Context

  private constructor(model: Model, context: Context) {
    this.#model = model
    this.#context = context
  }

  static async load(file: string): Promise<GrammarModel> {
    llama.loadBackends()
    llama.loadBackends(addonFolder)
    await llama.init()
    const model = new llama.AddonModel(file, { addonExports: addon, gpuLayers: 0, useMmap: true })
    await model.init()
    const options = { contextSize: 2048, batchSize: 512, sequences: 1, threads: 1, flashAttention: false }
    const context = new llama.AddonContext(model, options)
    await context.init()
    return new GrammarModel(model, context)
  }

  /** Throws when the answer is not at its end after so many tokens. */
  async say(
    prompt: string,
    grammar: string,
    { seed, maxTokens }: { seed: number; maxTokens: number },
  ): Promise<string> {
    const sampler = new llama.AddonSampler(this.#model)
    const state = new llama.AddonGrammarEvaluationState(this.#model, parseGrammar(grammar))
    sampler.applyConfig({ temperature: 1, seed, grammarEvaluationState: state, ...this.#withoutLooseBytes() })
    this.#context.disposeSequence(0)
    const said: number[] = []
    let next = this.#model.tokenize(prompt, true)
    for (let position = 0; said.length < maxTokens; ) {
      this.#context.initBatch(next.length)
      const [logit = 0] = this.#context.addToBatch(0, position, next, Uint32Array.of(next.length - 1))
      await this.#context.decodeBatch()
      const token = await this.#context.sampleToken(logit, sampler)
      if (this.#model.isEogToken(token)) {
        sampler.dispose()
        return this.#model.detokenize(Uint32Array.from(said), true)
      }
      position += next.length
      said.push(token)
      next = Uint32Array.of(token)
    }
    throw new Error(`No end after ${maxTokens} tokens: ${this.#model.detokenize(Uint32Array.from(said), true)}`)
  }

  /** A model with random weights writes bytes that are no UTF-8, which llama.cpp's grammars take for letters. */
  #withoutLooseBytes(): Record<string, unknown> {
    const isLoose = (token: number) => this.#model.detokenize(Uint32Array.of(token), false).includes('\ufffd')
    const keys = Uint32Array.from({ length: specialTokens.length + byteLetters.length }, (_, token) => token).filter(
      isLoose,
    )
    return { tokenBiasKeys: keys, tokenBiasValues: new Float32Array(keys.length).fill(Number.NEGATIVE_INFINITY) }
  }

  async unload(): Promise<void> {
    await this.#context.dispose()
    await this.#model.dispose()
  }
}

// The native binding of llama.cpp, as node-llama-cpp ships it. Only its compiled part is used: the batches, the
// caches and the order of work are ours. Its version is pinned, since these are its inner names.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ModelProblem } from '../../problem.ts'

export interface AddonModel {
  init(): Promise<boolean>
  dispose(): Promise<void>
  loadLora(adapter: AddonLora): Promise<void>
  tokenize(text: string, parseSpecial: boolean): Uint32Array
  detokenize(tokens: Uint32Array, withSpecial: boolean): string
  getTrainContextSize(): number
  getEmbeddingVectorSize(): number
  tokenBos(): number
  tokenEos(): number
  prefixToken(): number
  middleToken(): number
  suffixToken(): number
  getTokenString(token: number): string
  getTokenAttributes(token: number): number
  isEogToken(token: number): boolean
  getVocabularyType(): number
  shouldPrependBosToken(): boolean
}

/** An adapter's file, loaded beside its model. */
export interface AddonLora {
  dispose(): void
}

/** Logits asked for with a sample: named tokens, highest, lowest, the sampled one, and so many of the best. */
export type LogitFilter = [tokens: readonly number[], highest: boolean, lowest: boolean, selected: boolean, top: number]

export interface AddonContext {
  init(): Promise<boolean>
  dispose(): Promise<void>
  initBatch(size: number): void
  /** `outputs` are positions within `tokens` whose logits are wanted; their places in the batch come back. */
  addToBatch(sequence: number, position: number, tokens: Uint32Array, outputs: Uint32Array): Uint32Array
  decodeBatch(): Promise<void>
  /** -1: no token can follow. */
  sampleToken(output: number, sampler: AddonSampler): Promise<number>
  sampleToken(
    output: number,
    sampler: AddonSampler,
    probabilities: false,
    confidence: false,
    logits: LogitFilter,
    totalWeight: true,
  ): Promise<[token: number, undefined, undefined, logits: number[], totalWeight: number]>
  disposeSequence(sequence: number): void
  removeTokenCellsFromSequence(sequence: number, from: number, to: number): boolean
  copySequenceStateFromOtherSequence(target: number, source: number): Promise<number>
  getEmbedding(tokens: number): Float64Array
  /** What is added to the model from the next batch on. Never while one is computed. */
  setLoras(adapters: readonly AddonLora[], scales: readonly number[]): void
}

export interface SamplerConfig {
  temperature: number
  topP?: number
  seed: number
  repeatPenalty?: number
  repeatPenaltyMaxTokens?: number
  repeatPenaltyTokens?: Uint32Array
  repeatPenaltyFrequencyPenalty?: number
  repeatPenaltyPresencePenalty?: number
  tokenBiasKeys?: Uint32Array
  tokenBiasValues?: Float32Array
  grammarEvaluationState?: AddonGrammarState
}

export interface AddonSampler {
  applyConfig(config: SamplerConfig): void
  dispose(): void
}

export interface AddonGrammar {
  isTextCompatible(text: string): boolean
}

export interface AddonGrammarState {
  readonly isGrammarState: never
}

interface ContextParams {
  contextSize: number
  batchSize: number
  sequences: number
  threads: number
  flashAttention: boolean
  /** How keys are kept, by ggml's number of the type; absent: in 16 bits. */
  kvCacheKeyType?: number
  embeddings?: boolean
}

export interface Addon {
  AddonModel: new (
    file: string,
    params: { addonExports: Addon; gpuLayers: number; useMmap: boolean; checkTensors: boolean; vocabOnly?: boolean },
  ) => AddonModel
  AddonModelLora: new (model: AddonModel, file: string) => AddonLora
  AddonContext: new (model: AddonModel, params: ContextParams) => AddonContext
  AddonSampler: {
    new (model: AddonModel): AddonSampler
    acceptGrammarEvaluationStateToken(state: AddonGrammarState, token: number): void
    canBeNextTokenForGrammarEvaluationState(state: AddonGrammarState, token: number): boolean
  }
  AddonGrammar: new (gbnf: string, params: { addonExports: Addon; rootRuleName: 'root' }) => AddonGrammar
  AddonGrammarEvaluationState: new (model: AddonModel, grammar: AddonGrammar) => AddonGrammarState
  AddonJinjaRenderer: new (template: string) => { render(values: Record<string, unknown>): string }
  setLogger(log: (level: number, text: string) => void): void
  setLoggerLogLevel(level: number): void
  loadBackends(folder?: string): void
  init(): Promise<void>
}

const errorLevel = 1

export async function loadAddon(log: (text: string) => void): Promise<Addon> {
  const folder = addonFolder()
  const addon = createRequire(import.meta.url)(join(folder, 'llama-addon.node')) as Addon
  addon.setLogger((level, text) => {
    if (level <= errorLevel) log(text.trimEnd())
  })
  addon.setLoggerLogLevel(errorLevel)
  addon.loadBackends()
  addon.loadBackends(folder)
  await addon.init()
  return addon
}

function addonFolder(): string {
  const platform = `${process.platform === 'darwin' ? 'mac' : process.platform}-${process.arch}`
  const name = `@node-llama-cpp/${platform}${platform === 'mac-arm64' ? '-metal' : ''}`
  try {
    const main = createRequire(import.meta.url).resolve(name)
    return join(dirname(main), '..', 'bins', name.slice(name.indexOf('/') + 1))
  } catch (cause) {
    const message = `Models in GGUF files cannot run on this machine: the package ${name} is not installed.`
    throw new ModelProblem(message, { kind: 'not_installed' }, { cause })
  }
}

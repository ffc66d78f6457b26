// The program of an embedding model's process: texts in, vectors of length 1 out.
import { readGguf } from '../../gguf/read.ts'
import { ModelProblem } from '../../problem.ts'
import { answerQuestions } from '../../process/answer-questions.ts'
import { type Addon, type AddonContext, type AddonModel, loadAddon } from './addon.ts'
import type { LoadOptions } from './protocol.ts'

export interface EmbeddingQuestion {
  inputs: (string | number[])[]
}

export interface EmbeddingAnswer {
  vectors: Float32Array[]
  tokens: number
}

interface Loaded {
  model: AddonModel
  context: AddonContext
  vocabularySize: number
}

const options = JSON.parse(process.argv[2] ?? '') as LoadOptions
let loading: Promise<Loaded> | undefined

answerQuestions<EmbeddingQuestion, EmbeddingAnswer>(async ({ inputs }, signal) => {
  loading ??= load()
  const loaded = await loading
  const vectors: Float32Array[] = []
  let tokens = 0
  for (const [index, input] of inputs.entries()) {
    signal.throwIfAborted()
    const read = tokensOf(loaded, input, inputs.length === 1 ? 'input' : `input[${index}]`)
    tokens += read.length
    vectors.push(await embed(loaded, read))
  }
  return { vectors, tokens }
})

async function load(): Promise<Loaded> {
  const info = await readGguf(options.file)
  const addon: Addon = await loadAddon((text) => process.stderr.write(`${text}\n`))
  const model = new addon.AddonModel(options.file, {
    addonExports: addon,
    gpuLayers: 0,
    useMmap: true,
    checkTensors: true,
  })
  if (!(await model.init())) throw new ModelProblem('llama.cpp could not load the file', { kind: 'not_installed' })
  const { contextLength, threads } = options
  // The whole input in one step: pooling looks at all of it.
  const size = { contextSize: contextLength, batchSize: contextLength }
  const context = new addon.AddonContext(model, {
    ...size,
    sequences: 1,
    threads,
    flashAttention: false,
    embeddings: true,
  })
  if (!(await context.init())) throw new ModelProblem('there is not enough memory', { kind: 'not_installed' })
  return { model, context, vocabularySize: info.vocabularySize ?? 0 }
}

function tokensOf({ model, vocabularySize }: Loaded, input: string | number[], param: string): number[] {
  const tokens = typeof input === 'string' ? [...model.tokenize(input, false)] : input
  const start = model.tokenBos()
  const read = typeof input === 'string' && start >= 0 && tokens[0] !== start ? [start, ...tokens] : tokens
  const foreign = read.find((token) => token >= vocabularySize)
  if (foreign !== undefined) {
    const message = `There is no token ${foreign}: this model's tokens go from 0 to ${vocabularySize - 1}.`
    throw new ModelProblem(message, { kind: 'invalid', param })
  }
  if (read.length <= options.contextLength) return read
  const message = `This model's maximum context length is ${options.contextLength} tokens, however you requested ${read.length} tokens. Please reduce the length of the input.`
  const detail = {
    kind: 'context_length',
    maxTokens: options.contextLength,
    requestedTokens: read.length,
    param,
  } as const
  throw new ModelProblem(message, detail)
}

async function embed({ context }: Loaded, tokens: number[]): Promise<Float32Array> {
  context.disposeSequence(0)
  context.initBatch(tokens.length)
  context.addToBatch(0, 0, Uint32Array.from(tokens), Uint32Array.from(tokens.keys()))
  await context.decodeBatch()
  const numbers = context.getEmbedding(tokens.length)
  const length = Math.hypot(...numbers) || 1
  return Float32Array.from(numbers, (value) => value / length)
}

// The program of an embedding model's process: texts in, vectors of length 1 out.
import { setImmediate } from 'node:timers/promises'
import { readGguf } from '../../gguf/read.ts'
import { ModelProblem } from '../../problem.ts'
import { answerQuestions } from '../../process/answer-questions.ts'
import { type AddonModel, loadAddon } from './addon.ts'
import { EmbeddingLane } from './embedding-lane.ts'
import { cutParts } from './parts.ts'
import type { EmbeddingPlan } from './plan-embeddings.ts'

export interface EmbeddingOptions extends EmbeddingPlan {
  file: string
}

export interface EmbeddingQuestion {
  inputs: (string | number[])[]
  /** Nobody waits for it. */
  isBackground: boolean
}

export interface EmbeddingAnswer {
  vectors: Float32Array[]
  tokens: number
}

interface Loaded {
  model: AddonModel
  lanes: EmbeddingLane[]
  vocabularySize: number
}

/** A text of no more letters is made tokens in a few milliseconds. */
const shortLetters = 16_384

const { file, lanes, contextLength } = JSON.parse(process.argv[2] ?? '') as EmbeddingOptions
let loading: Promise<Loaded> | undefined

answerQuestions<EmbeddingQuestion, EmbeddingAnswer>(
  async ({ inputs, isBackground }, signal) => {
    loading ??= load()
    const loaded = await loading
    const read: number[][] = []
    for (const [index, input] of inputs.entries())
      read.push(await tokensOf(loaded, input, inputs.length === 1 ? 'input' : `input[${index}]`))
    const tokens = read.reduce((sum, { length }) => sum + length, 0)
    const vectors: Float32Array[] = []
    let left = tokens
    for (const input of read) {
      const lane = loaded.lanes.find(({ longest }) => input.length <= longest)
      if (lane === undefined) throw new Error('an input fits no lane')
      vectors.push(await lane.embed(input, { signal, isBackground, left }))
      left -= input.length
    }
    return { vectors, tokens }
  },
  { allAtOnce: true },
)

async function load(): Promise<Loaded> {
  const { pooling, vocabularySize = 0 } = await readGguf(file)
  const addon = await loadAddon((text) => process.stderr.write(`${text}\n`))
  const model = new addon.AddonModel(file, { addonExports: addon, gpuLayers: 0, useMmap: true, checkTensors: true })
  if (!(await model.init())) throw new ModelProblem('llama.cpp could not load the file', { kind: 'not_installed' })
  return { model, lanes: lanes.map((lane) => new EmbeddingLane(addon, model, lane, pooling)), vocabularySize }
}

async function tokensOf({ model, vocabularySize }: Loaded, input: string | number[], param: string): Promise<number[]> {
  if (typeof input === 'string') await refuseLong(model, input, param)
  const tokens = typeof input === 'string' ? [...model.tokenize(input, false)] : input
  const start = model.tokenBos()
  const read = typeof input === 'string' && start >= 0 && tokens[0] !== start ? [start, ...tokens] : tokens
  const foreign = read.find((token) => token >= vocabularySize)
  if (foreign !== undefined) {
    const message = `There is no token ${foreign}: this model's tokens go from 0 to ${vocabularySize - 1}.`
    throw new ModelProblem(message, { kind: 'invalid', param })
  }
  if (read.length > contextLength) throw tooLong(read.length, param, false)
  return read
}

/** Counts a long text part by part, and no further than needed: others' work goes on in between. */
async function refuseLong(model: AddonModel, text: string, param: string): Promise<void> {
  if (text.length <= shortLetters) return
  let tokens = 0
  for (const part of cutParts([text])) {
    // Where a text is cut, a token may become two.
    tokens += Math.max(0, model.tokenize(part.text, false).length - 1)
    if (tokens > contextLength) throw tooLong(tokens, param, true)
    await setImmediate()
  }
}

function tooLong(requestedTokens: number, param: string, atLeast: boolean): ModelProblem {
  const requested = `${atLeast ? 'at least ' : ''}${requestedTokens}`
  return new ModelProblem(
    `This model's maximum context length is ${contextLength} tokens, however you requested ${requested} tokens. Please reduce the length of the input.`,
    { kind: 'context_length', maxTokens: contextLength, requestedTokens, param, ...(atLeast && { atLeast }) },
  )
}

// The sentence encoder's files: sentences.json tells the pieces of words it knows, sentences.bin has the numbers.
import { readFile } from 'node:fs/promises'
import { floats, floatsOf, openNetwork } from '../../onnx/onnx.ts'
import { FirstStates } from './first-states.ts'
import { input, output, sentenceGraph } from './sentence-graph.ts'
import { SentenceNetwork } from './sentence-network.ts'
import { readWeights, type SentenceWeights } from './sentence-weights.ts'
import type { Vocabulary } from './word-pieces.ts'

const file = (name: string): URL => new URL(`../../../../../weights/moderation/${name}`, import.meta.url)

/** Numbers of length 1 for a window of pieces. */
export type ReadWindow = (window: readonly number[]) => Promise<Float32Array>

export interface SentenceModel {
  vocabulary: Vocabulary
  run: ReadWindow
}

export async function loadSentenceModel(): Promise<SentenceModel> {
  const [json, bytes] = await Promise.all([readFile(file('sentences.json'), 'utf8'), readFile(file('sentences.bin'))])
  const vocabulary: Vocabulary = JSON.parse(json)
  const weights = readWeights(bytes, vocabulary.length)
  // Where onnxruntime does not run, our own loops do: they take about ten times as long.
  return { vocabulary, run: await byOnnx(weights).catch(() => byOurLoops(weights)) }
}

export async function byOnnx(weights: SentenceWeights): Promise<ReadWindow> {
  const network = await openNetwork(sentenceGraph(weights))
  const first = new FirstStates(weights)
  return async (window) => {
    const states = floats(first.of(window), [window.length, first.width])
    return toLength1(floatsOf(await network.run({ [input]: states }), output))
  }
}

export async function byOurLoops(weights: SentenceWeights): Promise<ReadWindow> {
  const network = await SentenceNetwork.load(weights)
  const first = new FirstStates(weights)
  return async (window) => toLength1(network.run(first.of(window), window.length))
}

function toLength1(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

// How long the inputs of an embedding model may be, what computing them takes, and in which lanes they are computed: a
// word beside a book, not behind it.
import type { GgufInfo } from '../../gguf/read.ts'
import { cacheBytesPerToken } from './plan-memory.ts'
import type { LlamaSettings } from './settings.ts'

/** Inputs up to so many tokens have a lane of their own; the last one is for the longest. */
const shortTokens = [64, 512]
/** Of a long input, where it can be computed in slices. */
const sliceTokens = 256
const defaultContextLength = 512
const leastContextLength = 64
const bytesPerScore = 4
/** Numbers between two layers, for each that a token has. */
const numbersBetweenLayers = 24
const megabyte = 1024 ** 2

export interface Lane {
  /** The longest input it takes. */
  tokens: number
  /** Computed at once. */
  sliceTokens: number
  threads: number
}

export interface EmbeddingPlan {
  lanes: Lane[]
  contextLength: number
  memoryBytes: number
}

type Wishes = Pick<LlamaSettings, 'contextLength' | 'cacheMegabytes'>

export function planEmbeddings(info: GgufInfo, settings: Wishes, threads: number): EmbeddingPlan {
  const contextLength = settings.contextLength ?? longestFitting(info, settings.cacheMegabytes * megabyte)
  const sizes = [...shortTokens.filter((tokens) => tokens < contextLength), contextLength]
  const lanes = sizes.map((tokens, at) => ({
    tokens,
    sliceTokens: info.isCausal ? Math.min(sliceTokens, tokens) : tokens,
    threads: threadsOf(threads, at === sizes.length - 1),
  }))
  const memoryBytes = lanes.reduce((sum, lane) => sum + laneBytes(info, lane), info.fileBytes)
  return { lanes, contextLength, memoryBytes }
}

/** More threads than cores wait for one another most of the time: together the lanes have no more than one had. */
function threadsOf(threads: number, isLongest: boolean): number {
  const few = Math.max(1, Math.floor(threads / 4))
  return isLongest ? Math.max(1, threads - shortTokens.length * few) : few
}

function longestFitting(info: GgufInfo, bytes: number): number {
  const wished = info.contextLength ?? defaultContextLength
  const fits = (tokens: number): boolean =>
    laneBytes(info, { tokens, sliceTokens: info.isCausal ? Math.min(sliceTokens, tokens) : tokens }) <= bytes
  let [least, most] = [leastContextLength, Math.max(leastContextLength, wished)]
  if (fits(most)) return most
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2)
    if (fits(middle)) least = middle
    else most = middle
  }
  return least
}

/** The cache of all tokens, and for those of a slice how much each looks at every other. */
function laneBytes(info: GgufInfo, lane: Pick<Lane, 'tokens' | 'sliceTokens'>): number {
  const { embeddingLength = 1, headCount = 1 } = info
  const heads = Array.isArray(headCount) ? Math.max(1, ...headCount) : headCount
  const scores = heads * lane.sliceTokens * lane.tokens * bytesPerScore
  const between = lane.sliceTokens * embeddingLength * numbersBetweenLayers * bytesPerScore
  return lane.tokens * cacheBytesPerToken(info) + scores + between
}

// How long conversations may be, and how many fit side by side.
import type { GgufInfo } from '../../gguf/read.ts'
import type { LlamaSettings } from './settings.ts'

const defaultContextLength = 8_192
const leastContextLength = 512
const defaultSlots = 8
/** In 8 bits, 32 numbers share a factor of two bytes. */
const bytesPerNumber = { 8: 34 / 32, 16: 2 }
const megabyte = 1024 ** 2

type CacheBits = LlamaSettings['cacheBits']

export interface MemoryPlan {
  contextLength: number
  slots: number
  cacheBits: CacheBits
}

type Wishes = Pick<LlamaSettings, 'contextLength' | 'slots' | 'cacheMegabytes'> & { cacheBits?: CacheBits }

/** What is set is kept; what is not is chosen so that the caches fit. */
export function planMemory(info: GgufInfo, settings: Wishes): MemoryPlan {
  const { cacheBits = 16 } = settings
  const perToken = cacheBytesPerToken(info, cacheBits)
  const tokens = Math.floor((settings.cacheMegabytes * megabyte) / perToken)
  const wished = Math.min(info.contextLength ?? defaultContextLength, defaultContextLength)
  const fitting = Math.max(leastContextLength, Math.floor(tokens / (settings.slots ?? 1)))
  const contextLength = settings.contextLength ?? Math.min(wished, fitting)
  const slots = settings.slots ?? Math.min(defaultSlots, Math.max(1, Math.floor(tokens / contextLength)))
  return { contextLength, slots, cacheBits }
}

export function cacheBytesPerToken(info: GgufInfo, cacheBits: CacheBits = 16): number {
  const { blockCount = 1, embeddingLength = 1 } = info
  const heads = info.headCount ?? 1
  const headLength = embeddingLength / (Array.isArray(heads) ? Math.max(1, ...heads) : heads)
  const numbers = (info.keyLength ?? headLength) + (info.valueLength ?? headLength)
  return Math.max(1, inAllLayers(info.kvHeadCount ?? heads, blockCount) * numbers * bytesPerNumber[cacheBits])
}

const inAllLayers = (heads: number | number[], layers: number): number =>
  Array.isArray(heads) ? heads.reduce((sum, count) => sum + count, 0) : heads * layers

// How long conversations may be, and how many fit side by side.
import type { GgufInfo } from '../../gguf/read.ts'
import type { LlamaSettings } from './settings.ts'

const defaultContextLength = 8_192
const leastContextLength = 512
const defaultSlots = 8
/** In 8 bits, 32 numbers share a factor of two bytes. */
const bytesPerNumber = { 8: 34 / 32, 16: 2 }
const megabyte = 1024 ** 2

type KeyBits = LlamaSettings['keyBits']

export interface MemoryPlan {
  contextLength: number
  slots: number
  keyBits: KeyBits
}

type Wishes = Pick<LlamaSettings, 'contextLength' | 'slots' | 'cacheMegabytes'> & { keyBits?: KeyBits }

/** What is set is kept; what is not is chosen so that the caches fit. */
export function planMemory(info: GgufInfo, settings: Wishes): MemoryPlan {
  const { keyBits = 16 } = settings
  const perToken = cacheBytesPerToken(info, keyBits)
  const tokens = Math.floor((settings.cacheMegabytes * megabyte) / perToken)
  const wished = Math.min(info.contextLength ?? defaultContextLength, defaultContextLength)
  const fitting = Math.max(leastContextLength, Math.floor(tokens / (settings.slots ?? 1)))
  const contextLength = settings.contextLength ?? Math.min(wished, fitting)
  const slots = settings.slots ?? Math.min(defaultSlots, Math.max(1, Math.floor(tokens / contextLength)))
  return { contextLength, slots, keyBits }
}

export function cacheBytesPerToken(info: GgufInfo, keyBits: KeyBits = 16): number {
  const { blockCount = 1, embeddingLength = 1 } = info
  const heads = info.headCount ?? 1
  const headLength = embeddingLength / (Array.isArray(heads) ? Math.max(1, ...heads) : heads)
  const [keys, values] = [info.keyLength ?? headLength, info.valueLength ?? headLength]
  const bytes = keys * bytesPerNumber[keyBits] + values * bytesPerNumber[16]
  return Math.max(1, inAllLayers(info.kvHeadCount ?? heads, blockCount) * bytes)
}

const inAllLayers = (heads: number | number[], layers: number): number =>
  Array.isArray(heads) ? heads.reduce((sum, count) => sum + count, 0) : heads * layers

// Chunks to search in: real sentences with their real embeddings, and many more made around them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadTables } from '@atoll/models/builtin/embeddings/tables'
import { TextReader } from '@atoll/models/builtin/embeddings/text-reader'

export const dimensions = 512

export interface MadeChunk {
  text: string
  vector: Float32Array
}

const requirements = fileURLToPath(new URL('../requirements/', import.meta.url))
const wordsPerChunk = 120
/** The noise's length beside the sentence's 1: neighbours are near, and no copies. */
const noise = 0.7

/** From the requirements' texts; no two alike. */
export function realSentences(count: number): string[] {
  const lines = readdirSync(requirements)
    .filter((name) => name.endsWith('.tsv'))
    .flatMap((name) => readFileSync(join(requirements, name), 'utf8').split('\n'))
  const texts = lines.map((line) => line.split('\t').reduce((a, b) => (b.length > a.length ? b : a), ''))
  return [...new Set(texts.filter((text) => text.split(' ').length >= 8))].slice(0, count)
}

export async function embed(texts: readonly string[]): Promise<Float32Array[]> {
  const reader = new TextReader(await loadTables())
  return texts.map((text) => unit(reader.read(text).sum))
}

/** The same sequence in every run. */
export function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export class ChunkMaker {
  readonly #random: () => number
  readonly #centres: readonly Float32Array[]
  readonly #vocabulary: readonly string[]

  constructor(centres: readonly Float32Array[], sentences: readonly string[], seed: number) {
    this.#random = randomNumbers(seed)
    this.#centres = centres
    this.#vocabulary = [...new Set(sentences.flatMap((text) => text.toLowerCase().match(/[a-z]{2,}/g) ?? []))]
  }

  /** `code` is a word that no other chunk has. */
  chunk(code: string): MadeChunk {
    return { text: `${this.words(wordsPerChunk)} ${code}`, vector: this.vector() }
  }

  /** Few words are frequent and many are rare, as in any language. */
  words(count: number): string {
    const { length } = this.#vocabulary
    const word = () => this.#vocabulary[Math.floor(length ** this.#random()) - 1] ?? ''
    return Array.from({ length: count }, word).join(' ')
  }

  vector(): Float32Array {
    const centre = this.#centres[Math.floor(this.#random() * this.#centres.length)] ?? new Float32Array(dimensions)
    const scale = noise / Math.sqrt(dimensions)
    return unit(centre.map((value) => value + this.#normal() * scale))
  }

  #normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random())
  }
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

// What the text model looks at besides the sentence vector: which words, pairs of words and pieces of words occur.
// Each is hashed to one of `bucketCount` places, so that no vocabulary has to be kept.
export const bucketCount = 1 << 15
const maxTerms = 4_000

export interface TermFeatures {
  buckets: number[]
  /** The same for all: the terms of a text have length 1 together. */
  weight: number
}

export function termFeatures(text: string): TermFeatures {
  const words = wordsOf(text)
  const buckets = new Set<number>()
  for (const [at, word] of words.entries()) {
    if (buckets.size > maxTerms) break
    buckets.add(bucketOf(`w ${word}`))
    buckets.add(bucketOf(`p ${words[at - 1] ?? ''} ${word}`))
    const framed = `<${word}>`
    for (let from = 0; from + 4 <= framed.length; from++) buckets.add(bucketOf(`c ${framed.slice(from, from + 4)}`))
  }
  return { buckets: [...buckets], weight: buckets.size === 0 ? 0 : 1 / Math.sqrt(buckets.size) }
}

function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/\d{3,}/g, '0')
  return plain.match(/[\p{L}\p{N}'*@$]+/gu) ?? []
}

/** FNV-1a over UTF-16 units. */
function bucketOf(term: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 15)) & (bucketCount - 1)
}

// A plain BM25, as anybody would write it in an evening: what our search has to be better than.
const k1 = 1.2
const b = 0.75
const stopWords = new Set(
  `a an the of in on and or to for is are be by with as at from that this it which was were has have been not what how
   can do does did i my me`.split(/\s+/),
)

const termsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z0-9_]+/g) ?? [])
    .filter((word) => !stopWords.has(word))
    .map((word) => word.replace(/(?:ing|ed|es|s)$/, ''))

/** Scores of all documents, by their place. */
export function bm25(documents: readonly string[]): (question: string) => Float64Array {
  const terms = documents.map(termsOf)
  const postings = new Map<string, Map<number, number>>()
  for (const [place, words] of terms.entries()) {
    for (const word of words) {
      const counts = postings.get(word) ?? new Map<number, number>()
      postings.set(word, counts.set(place, (counts.get(place) ?? 0) + 1))
    }
  }
  const meanLength = terms.reduce((sum, { length }) => sum + length, 0) / terms.length
  return (question) => {
    const scores = new Float64Array(documents.length)
    for (const word of new Set(termsOf(question))) {
      const counts = postings.get(word) ?? new Map<number, number>()
      const rarity = Math.log(1 + (documents.length - counts.size + 0.5) / (counts.size + 0.5))
      for (const [place, count] of counts) {
        const norm = k1 * (1 - b + (b * (terms[place]?.length ?? 0)) / meanLength)
        scores[place] = (scores[place] ?? 0) + (rarity * count * (k1 + 1)) / (count + norm)
      }
    }
    return scores
  }
}

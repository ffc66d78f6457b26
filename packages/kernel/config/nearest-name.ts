// Finds what a person probably meant by a name that is not known.
/** The known name that is nearest to `name`, when it is near enough to be a slip of the hand. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name === '' || name.length > maxNameLength) return undefined
  const folded = fold(name)
  let nearest: string | undefined
  let least = Math.max(1, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    const distance = editDistance(folded, fold(candidate), least)
    if (distance >= least) continue
    least = distance
    nearest = candidate
  }
  return nearest
}

/** `maxTokens`, `max-tokens` and `max_tokens` are the same slip. */
const fold = (name: string): string =>
  name
    .slice(0, maxNameLength)
    .toLowerCase()
    .replace(/[-_. ]/g, '')

/** Nobody mistypes a longer name; somebody might send one to keep us busy. */
const maxNameLength = 64

/** Levenshtein distance with swapped neighbours counted once; `atLeast` when it is that or more. */
export function editDistance(a: string, b: string, atLeast = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) >= atLeast) return atLeast
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) row.push(cell(i, j, row))
    beforeLast = last
    last = row
  }
  return Math.min(atLeast, last[b.length] ?? atLeast)

  function cell(i: number, j: number, row: number[]): number {
    const cost = a[i - 1] === b[j - 1] ? 0 : 1
    const best = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + cost)
    const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
    return isSwap ? Math.min(best, at(beforeLast, j - 2) + 1) : best
  }
}

const at = (row: number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY

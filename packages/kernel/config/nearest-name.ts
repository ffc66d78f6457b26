/** The known name that `name` was probably meant to be, if one is near enough: "did you mean …?" */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > maxNameLength) return undefined
  let nearest: string | undefined
  let least = Math.max(1, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance < least) [nearest, least] = [candidate, distance]
  }
  return nearest
}

// Callers choose the name: the table below is quadratic in it.
const maxNameLength = 64

/** Insertions, deletions, replacements and swaps of neighbours that lead from `a` to `b`. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1)
      let least = Math.min(at(previous, column) + 1, at(current, column - 1) + 1, replaced)
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (swapped) least = Math.min(least, at(beforePrevious, column - 2) + 1)
      current.push(least)
    }
    beforePrevious = previous
    previous = current
  }
  return at(previous, b.length)
}

const at = (row: number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY

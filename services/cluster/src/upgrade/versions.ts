// Versions as modules and engines write them: numbers with dots, of which the missing ones are 0.

export function compareVersions(one: string, other: string): number {
  const [a, b] = [numbersOf(one), numbersOf(other)]
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

const numbersOf = (version: string): number[] => version.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0)

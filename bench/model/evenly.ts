/** So many of them at most, from the first to the last. */
export function evenly<T>(all: readonly T[], most: number): T[] {
  const step = Math.max(1, all.length / most)
  return Array.from({ length: Math.min(all.length, most) }, (_, index) => all[Math.floor(index * step)] as T)
}

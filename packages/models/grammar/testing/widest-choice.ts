// How many ways a sampler may have to follow at once.

/** Of all choices written in a grammar, the one with the most ways. */
export function widestChoice(grammar: string): number {
  let widest = 0
  for (const line of grammar.split('\n')) {
    const ways = [1]
    for (const [sign] of line.matchAll(/"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|[()|]/g)) {
      if (sign === '(') ways.push(1)
      else if (sign === ')') ways.pop()
      else if (sign === '|') ways[ways.length - 1] = (ways.at(-1) ?? 0) + 1
      widest = Math.max(widest, ways.at(-1) ?? 0)
    }
  }
  return widest
}

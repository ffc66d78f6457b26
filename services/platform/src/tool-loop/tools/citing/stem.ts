/** Endings of English words taken off, roughly: both sides are treated alike, so it need not be a word. */
export function stem(word: string): string {
  let base = word.replace(/'s?$/, '')
  if (base.length > 4 && base.endsWith('ies')) return `${base.slice(0, -3)}y`
  if (base.length > 3 && base.endsWith('s') && !base.endsWith('ss')) base = base.slice(0, -1)
  for (const ending of ['ing', 'ed', 'ly']) {
    if (base.length - ending.length >= 3 && base.endsWith(ending)) {
      base = base.slice(0, -ending.length).replace(/([^aeiouls])\1$/, '$1')
      break
    }
  }
  return base.length > 3 && base.endsWith('e') ? base.slice(0, -1) : base
}

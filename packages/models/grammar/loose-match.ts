// Compares texts without regard to white space.

/** Where `expected` ends in `text`; 'more' when the text ends too early to tell, 'no' when it differs. */
export function matchLoosely(text: string, from: number, expected: string): number | 'more' | 'no' {
  let at = from
  for (const char of expected) {
    if (isSpace(char)) continue
    while (at < text.length && isSpace(text.charAt(at))) at += 1
    if (at >= text.length) return 'more'
    if (text.charAt(at) !== char) return 'no'
    at += 1
  }
  return at
}

const isSpace = (char: string): boolean => char === ' ' || char === '\n' || char === '\r' || char === '\t'

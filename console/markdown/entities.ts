// Characters written as `&amp;` or `&#65;`, for texts that become nodes and never HTML.
const named: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  times: '×',
  rarr: '→',
}
const lastCharacter = 0x10ffff

export const decodeEntities = (text: string): string =>
  text.includes('&') ? text.replace(/&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z]{2,8});/gi, decode) : text

function decode(whole: string, name: string): string {
  if (!name.startsWith('#')) return named[name] ?? whole
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return code > 0 && code <= lastCharacter ? String.fromCodePoint(code) : whole
}

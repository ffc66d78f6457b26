// Cuts text into "words" as the cl100k_base tokenizer does before it encodes each: its pattern, written as a scanner
// that looks only so far ahead, so that a run of any length is cut the same way however the text arrives.
//   '(?:[sdmt]|ll|ve|re) | [^\r\n\p{L}\p{N}]?\p{L}+ | \p{N}{1,3} | ?[^\s\p{L}\p{N}]+[\r\n]*
//   | \s+$ | \s*[\r\n] | \s+(?!\S) | \s

/** A run of letters, marks or spaces that is longer is taken in pieces of this size. */
export const maxRun = 16_384
/** So much text after a word's start decides where it ends. */
export const lookahead = 2 * maxRun + 4

const other = 0
const letter = 1
const digit = 2
const space = 3
const newline = 4

const classes = new Uint8Array(0x10000)
for (let code = 0; code < classes.length; code++) classes[code] = classify(String.fromCharCode(code))

function classify(character: string): number {
  if (character === '\r' || character === '\n') return newline
  if (/\s/u.test(character)) return space
  if (/\p{L}/u.test(character)) return letter
  return /\p{N}/u.test(character) ? digit : other
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff

function classAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (!isHighSurrogate(code) || !isLowSurrogate(text.charCodeAt(at + 1))) return classes[code] as number
  const point = text.codePointAt(at) as number
  const isEmoji = point >= 0x1f000 && point <= 0x1faff
  return isEmoji ? other : classify(String.fromCodePoint(point))
}

const width = (text: string, at: number): number =>
  isHighSurrogate(text.charCodeAt(at)) && isLowSurrogate(text.charCodeAt(at + 1)) ? 2 : 1

/** From `at` over characters of one class, at most up to `limit`. */
function runEnd(text: string, at: number, kind: number, limit: number): number {
  let end = at
  while (end < limit && classAt(text, end) === kind) end += width(text, end)
  return end
}

/** Where the word that begins at `at` ends. Text after `text` may not change it: see `lookahead`. */
export function wordEnd(text: string, at: number, run = maxRun): number {
  const limit = Math.min(text.length, at + run)
  const contraction = text[at] === "'" ? contractionLength(text, at + 1) : 0
  if (contraction > 0) return at + 1 + contraction
  const kind = classAt(text, at)
  if (kind === letter) return runEnd(text, at, letter, limit)
  if (kind === digit) return digitsEnd(text, at)
  const next = at + width(text, at)
  if (kind !== newline && next < limit && classAt(text, next) === letter) return runEnd(text, next, letter, limit)
  if (kind === other) return marksEnd(text, at, run)
  if (text[at] === ' ' && next < limit && classAt(text, next) === other) return marksEnd(text, next, run)
  return spacesEnd(text, at, limit)
}

function contractionLength(text: string, at: number): number {
  return /^(?:[sdmt]|ll|ve|re)/i.exec(text.slice(at, at + 2))?.[0].length ?? 0
}

function digitsEnd(text: string, at: number): number {
  let end = at
  for (let count = 0; count < 3 && end < text.length && classAt(text, end) === digit; count++) end += width(text, end)
  return end
}

/** Punctuation, symbols and combining marks, and the line ends after them. */
function marksEnd(text: string, at: number, run: number): number {
  const end = runEnd(text, at, other, Math.min(text.length, at + run))
  return runEnd(text, end, newline, Math.min(text.length, end + run))
}

function spacesEnd(text: string, at: number, limit: number): number {
  let end = at
  let afterNewline = at
  for (; end < limit; end++) {
    const kind = classes[text.charCodeAt(end)] as number
    if (kind === newline) afterNewline = end + 1
    else if (kind !== space) break
  }
  // The text ends here, or the run is too long to see its end.
  if (end === text.length || end === limit) return end
  if (afterNewline > at) return afterNewline
  // The last space belongs to the word after it.
  return end - at > 1 ? end - 1 : end
}

export const isSpaceAt = (text: string, at: number): boolean => (classes[text.charCodeAt(at)] ?? other) >= space

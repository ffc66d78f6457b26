// The JSON of a large value in slices, each of them a short piece of work: a page of a list may have many megabytes. What
// they make together is what JSON.stringify makes.
/** What takes a fraction of a millisecond to write. */
const sliceLetters = 32 * 1024
/** A name or a number weighs about so much. */
const valueLetters = 8

/** Whether its JSON is much longer than a slice. Looks no further than that takes. */
export const isLarge = (value: unknown): boolean => lettersLeft(value, sliceLetters) < 0

function lettersLeft(value: unknown, letters: number): number {
  if (typeof value === 'string') return letters - value.length
  if (!isContainer(value)) return letters - valueLetters
  let left = letters - valueLetters
  // V8 made code for `for … in` of one shape of objects, and threw it away at the next, for ever.
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    if (left < 0) break
    left = lettersLeft(part, left - valueLetters)
  }
  return left
}

/** What says itself how it is written is taken whole. */
const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !('toJSON' in value)

export function* jsonSlices(value: unknown): Generator<string, undefined> {
  let slice = ''
  for (const text of textsOf(value)) {
    slice += text
    if (slice.length < sliceLetters) continue
    yield slice
    slice = ''
  }
  yield slice
}

function* textsOf(value: unknown): Generator<string> {
  if (!isLarge(value)) yield JSON.stringify(value) ?? 'null'
  else if (typeof value === 'string') yield* textSlices(value)
  else if (Array.isArray(value)) yield* arrayTexts(value)
  else yield* objectTexts(value as Record<string, unknown>)
}

function* arrayTexts(items: readonly unknown[]): Generator<string> {
  let separator = '['
  for (const item of items) {
    yield separator
    yield* textsOf(item)
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}

function* objectTexts(object: Record<string, unknown>): Generator<string> {
  let separator = '{'
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined || typeof value === 'function' || typeof value === 'symbol') continue
    yield `${separator}${JSON.stringify(name)}:`
    yield* textsOf(value)
    separator = ','
  }
  yield separator === '{' ? '{}' : '}'
}

function* textSlices(text: string): Generator<string> {
  yield '"'
  for (let start = 0; start < text.length; ) {
    const end = endOfSlice(text, start + sliceLetters)
    yield JSON.stringify(text.slice(start, end)).slice(1, -1)
    start = end
  }
  yield '"'
}

/** Not within a pair of surrogates: halves are written otherwise than wholes. */
export function endOfSlice(text: string, end: number): number {
  const last = text.charCodeAt(end - 1)
  return last >= 0xd800 && last < 0xdc00 ? end - 1 : end
}

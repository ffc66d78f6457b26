// Writes float32 numbers as short decimals that read back as the same float32. Straight into bytes, since an answer may
// have millions of them: half the text of a double, and many times faster than asking for one.

/** "-0.", zeros up to the first digit, nine digits; or what `String` gives. */
export const maxFloatBytes = 32
const zero = 0x30
const fewestDigits = 8
/** So many always tell a float32 from its neighbours. */
const mostDigits = 9
const powers = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent)
/** The four digits of each number below 10,000. Made with the first number that is written, not at every start. */
let fourDigits: Uint8Array | undefined

/** Returns where the next byte goes. */
export function writeFloat(bytes: Uint8Array, at: number, value: number): number {
  const size = Math.abs(value)
  if (!(size < 1 && size >= 0.0001)) return writeText(bytes, at, plainText(value))
  const leadingZeros = size >= 0.1 ? 0 : size >= 0.01 ? 1 : size >= 0.001 ? 2 : 3
  for (let digits = fewestDigits; digits <= mostDigits; digits++) {
    const power = powers[leadingZeros + digits] ?? 1
    const scaled = Math.round(size * power)
    if (Math.fround(scaled / power) !== size || scaled >= 10 ** 9) continue
    let place = at
    if (value < 0) bytes[place++] = 0x2d
    bytes[place++] = zero
    bytes[place++] = 0x2e
    for (let index = 0; index < leadingZeros; index++) bytes[place++] = zero
    return withoutZeros(bytes, writeDigits(bytes, place, scaled, digits))
  }
  return writeText(bytes, at, plainText(value))
}

/** Eight or nine digits. */
function writeDigits(bytes: Uint8Array, at: number, scaled: number, digits: number): number {
  fourDigits ??= makeFourDigits()
  const high = (scaled / 10_000) | 0
  const first = (high / 10_000) | 0
  let place = at
  if (digits === mostDigits) bytes[place++] = zero + first
  place = writeFour(bytes, place, fourDigits, high - first * 10_000)
  return writeFour(bytes, place, fourDigits, scaled - high * 10_000)
}

function writeFour(bytes: Uint8Array, at: number, table: Uint8Array, number: number): number {
  const from = number << 2
  bytes[at] = table[from] ?? zero
  bytes[at + 1] = table[from + 1] ?? zero
  bytes[at + 2] = table[from + 2] ?? zero
  bytes[at + 3] = table[from + 3] ?? zero
  return at + 4
}

function makeFourDigits(): Uint8Array {
  const table = new Uint8Array(40_000)
  for (let number = 0, at = 0; number < 10_000; number++) {
    table[at++] = zero + ((number / 1000) | 0)
    table[at++] = zero + (((number / 100) | 0) % 10)
    table[at++] = zero + (((number / 10) | 0) % 10)
    table[at++] = zero + (number % 10)
  }
  return table
}

/** There is another digit before them. */
function withoutZeros(bytes: Uint8Array, end: number): number {
  let last = end
  while (bytes[last - 1] === zero) last--
  return last
}

function writeText(bytes: Uint8Array, at: number, text: string): number {
  for (let index = 0; index < text.length; index++) bytes[at + index] = text.charCodeAt(index)
  return at + text.length
}

function plainText(value: number): string {
  if (!Number.isFinite(value)) return 'null'
  for (let digits = fewestDigits; digits <= mostDigits; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return String(short)
  }
  return String(value)
}

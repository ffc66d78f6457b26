// Rules for numbers between two bounds and for multiples: decided digit by digit, from the left, knowing only whether
// the digits so far are those of a bound and what they leave when divided.
import { chars, choice, type Expression, never, nothing, optional, sequence, text, times } from '../gbnf.ts'
import { type GrammarBuilder, GrammarTooLarge } from '../grammar-builder.ts'
import { digit, maxDigits, nonZeroDigit } from '../json-text.ts'
import { ceilTo, type Decimal, decimal, floorTo, negate } from './decimal.ts'

const maxRulesPerLength = 1_000

export interface Bound {
  value: number
  exclusive: boolean
}

interface NumberRange {
  min?: Bound | undefined
  max?: Bound | undefined
  /** Without a fraction. */
  whole: boolean
  multipleOf?: Decimal | undefined
}

export function numberRange(builder: GrammarBuilder, range: NumberRange): Expression {
  const min = range.min && exactBound(range.min, 1)
  const max = range.max && exactBound(range.max, -1)
  const flipped = (bound: ExactBound | undefined) => bound && { ...bound, value: negate(bound.value) }
  const positive = unsigned(builder, { ...range, min, max, fromZero: true })
  const negative = unsigned(builder, { ...range, min: flipped(max), max: flipped(min), fromZero: false })
  return choice(positive, sequence(text('-'), negative))
}

interface ExactBound {
  value: Decimal
  exclusive: boolean
}

/** Above 2^53 the neighbours of an excluded number are read as that number: the next double is the bound then. */
function exactBound({ value, exclusive }: Bound, direction: 1 | -1): ExactBound {
  if (!exclusive || Math.abs(value) < Number.MAX_SAFE_INTEGER) return { value: decimal(value), exclusive }
  let next = value
  for (let step = 1; next === value; step *= 2) next = value + direction * step
  return { value: decimal(next), exclusive: false }
}

interface UnsignedRange {
  min: ExactBound | undefined
  max: ExactBound | undefined
  whole: boolean
  multipleOf?: Decimal | undefined
  /** False: zero does not count. */
  fromZero: boolean
}

function unsigned(builder: GrammarBuilder, range: UnsignedRange): Expression {
  const most = Math.max(maxDigits, range.min ? digitsOf(floorTo(range.min.value, 0)) : 0)
  if (range.multipleOf && most > maxDigits) throw new GrammarTooLarge('Doubles of that size tell no multiples apart.')
  const lengths = Array.from({ length: most }, (_, index) => index + 1)
  const free = lengths.filter((length) => isFreeLength(range, length))
  const [first, last] = [free[0], free.at(-1)]
  const fraction = optionalFraction(range.whole ? 0 : maxDigits)
  const freely = first && last ? sequence(nonZeroDigit, times(digit, first - 1, last - 1), fraction) : never
  const others = lengths.filter((length) => !free.includes(length))
  return choice(...others.map((length) => ofLength(builder, range, length)), freely)
}

/** All numbers of this length are within the bounds, even when read with an error in the last digit. */
function isFreeLength({ min, max, multipleOf }: UnsignedRange, length: number): boolean {
  if (multipleOf || length === 1) return false
  const aboveMin = !min || floorTo(min.value, 0) < 10n ** BigInt(length - 1)
  return aboveMin && (!max || floorTo(max.value, 0) > 10n ** BigInt(length))
}

const digitsOf = (value: bigint): number => (value > 0n ? String(value).length : 0)

/** Those with so many digits before the point. */
function ofLength(builder: GrammarBuilder, range: UnsignedRange, length: number): Expression {
  const { min, max, whole, multipleOf } = range
  const room = whole ? 0 : Math.max(0, maxDigits - length)
  const wholeMultiples = multipleOf !== undefined && multipleOf.scale > room
  const scale = wholeMultiples ? 0 : (multipleOf?.scale ?? room)
  const one = 10n ** BigInt(scale)
  let low = length === 1 ? (range.fromZero ? 0n : 1n) : 10n ** BigInt(length - 1) * one
  let high = 10n ** BigInt(length) * one - 1n
  if (min) low = larger(low, min.exclusive ? floorTo(min.value, scale) + 1n : ceilTo(min.value, scale))
  if (max) high = smaller(high, max.exclusive ? ceilTo(max.value, scale) - 1n : floorTo(max.value, scale))
  if (low > high) return never
  const width = length + scale
  const digits = new Digits(builder, multipleOf ? modulus(multipleOf, wholeMultiples) : 1n)
  return digits.from({
    before: length,
    after: scale,
    low: heeded(String(low).padStart(width, '0'), '0'),
    high: heeded(String(high).padStart(width, '0'), '9'),
    remainder: 0n,
  })
}

/** Whole multiples of a fraction, such as 2.5, are multiples of its numerator in lowest terms. */
function modulus({ units, scale }: Decimal, whole: boolean): bigint {
  if (!whole) return units
  let [a, b] = [units, 10n ** BigInt(scale)]
  while (b !== 0n) [a, b] = [b, a % b]
  return units / a
}

const larger = (left: bigint, right: bigint): bigint => (left > right ? left : right)
const smaller = (left: bigint, right: bigint): bigint => (left < right ? left : right)

/** Where a number has got to. */
interface Place {
  /** Digits to come before the point, and at most after it. */
  before: number
  after: number
  /** The bound's digits to come, while all digits so far are the bound's; undefined: nothing to heed. */
  low: string | undefined
  high: string | undefined
  remainder: bigint
}

class Digits {
  readonly #builder: GrammarBuilder
  readonly #modulus: bigint
  #rules = 0

  constructor(builder: GrammarBuilder, modulus: bigint) {
    this.#builder = builder
    this.#modulus = modulus
  }

  from(place: Place): Expression {
    if (this.#isFree(place)) return sequence(times(digit, place.before, place.before), optionalFraction(place.after))
    if (place.before > 0) return this.#shared('whole', place, () => this.#step(place, (next) => this.from(next)))
    const fraction = place.after > 0 ? sequence(text('.'), this.#fraction(place)) : never
    return choice(fraction, mayEnd(place) ? nothing : never)
  }

  /** At least one digit more. */
  #fraction(place: Place): Expression {
    if (this.#isFree(place)) return times(digit, 1, place.after)
    return this.#shared('fraction', place, () =>
      this.#step(place, (next) =>
        choice(next.after > 0 ? this.#fraction(next) : never, mayEnd(next) ? nothing : never),
      ),
    )
  }

  #isFree(place: Place): boolean {
    return place.low === undefined && place.high === undefined && this.#modulus === 1n
  }

  #step(place: Place, then: (next: Place) => Expression): Expression {
    const { before, after, low, high } = place
    const weight = 10n ** BigInt(before + after - 1) % this.#modulus
    const first = Number(low?.[0] ?? 0)
    const last = Number(high?.[0] ?? 9)
    const ways = new Map<string, { next: Place; digits: number[] }>()
    for (let value = first; value <= last; value += 1) {
      const next: Place = {
        before: Math.max(before - 1, 0),
        after: before > 0 ? after : after - 1,
        low: low !== undefined && value === first ? heeded(low.slice(1), '0') : undefined,
        high: high !== undefined && value === last ? heeded(high.slice(1), '9') : undefined,
        remainder: (place.remainder + BigInt(value) * weight) % this.#modulus,
      }
      const key = placeKey(next)
      const way = ways.get(key) ?? { next, digits: [] }
      way.digits.push(value)
      ways.set(key, way)
    }
    return choice(...[...ways.values()].map(({ next, digits }) => sequence(oneDigit(digits), then(next))))
  }

  #shared(kind: string, place: Place, make: () => Expression): Expression {
    return this.#builder.shared(`${kind} digits ${this.#modulus} ${placeKey(place)}`, 'digits', () => {
      this.#rules += 1
      if (this.#rules > maxRulesPerLength) throw new GrammarTooLarge('The number leaves too many remainders.')
      return make()
    })
  }
}

const placeKey = (place: Place): string =>
  `${place.before} ${place.after} ${place.low} ${place.high} ${place.remainder}`

const oneDigit = (digits: number[]): Expression =>
  digits.length === 1
    ? text(String(digits[0]))
    : chars(...digits.map((value): [number, number] => [0x30 + value, 0x30 + value]))

/** A bound whose digits to come are all the smallest, or the largest, bounds nothing any more. */
const heeded = (bound: string, loosest: '0' | '9'): string | undefined =>
  [...bound].every((digit) => digit === loosest) ? undefined : bound

const mayEnd = ({ low, remainder }: Place): boolean => low === undefined && remainder === 0n

const optionalFraction = (most: number): Expression =>
  most === 0 ? nothing : optional(sequence(text('.'), times(digit, 1, most)))

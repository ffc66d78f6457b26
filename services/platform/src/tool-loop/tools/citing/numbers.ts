// Numbers as they are compared: digits or words, with the unit that follows if one does.
import { stem } from './stem.ts'

const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const values = new Map([
  ...small.map((word, value) => [word, value] as const),
  ...tens.map((word, index) => [word, (index + 2) * 10] as const),
])
// More often a pronoun than a number.
values.delete('one')

const parts = new Map(
  Object.entries({ half: 'half halves', third: 'third thirds', quarter: 'quarter quarters', dozen: 'dozen dozens' })
    .concat(Object.entries({ twice: 'twice', double: 'double doubles' }))
    .flatMap(([part, written]) => written.split(' ').map((word) => [word, part] as const)),
)

/** `twelve` and `forty-five` in digits, shares by their name; undefined when it is no number. */
export function valueOfWord(lower: string): string | undefined {
  const part = parts.get(lower)
  if (part !== undefined) return part
  const [first = '', second] = lower.split('-')
  const value = values.get(first)
  if (second === undefined || value === undefined) return value?.toString()
  const ones = small.indexOf(second)
  return value % 10 === 0 && value >= 20 && ones > 0 && ones < 10 ? String(value + ones) : undefined
}

/** `9,000` and `9000` are the same, and so are `6` and `6.0`. */
export const plainNumber = (digits: string): string =>
  digits
    .replace(/,(?=\d{3}(?!\d))/g, '')
    .replace(/^(\d+\.\d*?)0+$/, '$1')
    .replace(/\.$/, '')

/** By how they are written, what units are called here. */
const units = new Map(
  Object.entries({
    percent: '% percent pct',
    euro: '€ eur euro',
    dollar: '$ usd dollar',
    pound: '£ gbp pound',
    cent: 'cent',
    second: 's sec second',
    minute: 'min minute',
    hour: 'h hr hour',
    day: 'day',
    week: 'week',
    month: 'month',
    year: 'yr year',
    degree: '° degree',
    gram: 'g gram',
    kilogram: 'kg kilogram kilo',
    tonne: 't ton tonne',
    millimetre: 'mm millimetre millimeter',
    centimetre: 'cm centimetre centimeter',
    metre: 'm metre meter',
    kilometre: 'km kilometre kilometer',
    litre: 'l litre liter',
    watt: 'w watt',
    volt: 'v volt',
  }).flatMap(([unit, written]) => written.split(' ').map((word) => [stem(word), unit] as const)),
)

export const unitOf = (word: string): string | undefined => units.get(stem(word.toLowerCase()))

// Up to one word stands between them: `27 working days`. What a comma or a bar parts does not belong together.
const after = /^[ \u00a0\u202f-]?(?:(per cent\b)|([%€$£°]|\p{L}+))(?:[ -](\p{L}+))?/u

/** Of the number that stands between them. */
export function unitAround(before: string, following: string): string | undefined {
  const sign = /[€$£]\s?$/.exec(before)?.[0]
  if (sign !== undefined) return unitOf(sign.trim())
  const [, perCent, word = '', next = ''] = after.exec(following) ?? []
  return perCent === undefined ? (unitOf(word) ?? unitOf(next)) : 'percent'
}

// Numbers as they are said.
const small = [
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'],
  ...['thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'],
]
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const groups = ['', ' thousand', ' million', ' billion', ' trillion']
const groupSize = 1_000
/** Longer ones are read digit by digit. */
const mostDigits = 15

const ordinals: Record<string, string> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
}

/** Digits, perhaps with commas between groups, a minus before and a point in them. */
export function numberWords(text: string): string {
  const [whole = '', fraction] = text.replaceAll(',', '').replace(/^-/, '').split('.')
  const said = whole.length > mostDigits || /^0\d/.test(whole) ? digitWords(whole) : wholeWords(Number(whole))
  const sign = text.startsWith('-') ? 'minus ' : ''
  return sign + (fraction === undefined ? said : `${said} point ${digitWords(fraction)}`)
}

export const digitWords = (digits: string): string => [...digits].map((digit) => small[Number(digit)]).join(' ')

export function wholeWords(number: number): string {
  if (number < groupSize) return hundredWords(number)
  const parts: string[] = []
  for (let rest = number, group = 0; rest > 0; rest = Math.floor(rest / groupSize), group++) {
    const value = rest % groupSize
    if (value > 0) parts.unshift(hundredWords(value) + (groups[group] ?? ''))
  }
  return parts.join(' ')
}

function hundredWords(number: number): string {
  if (number < small.length) return small[number] ?? ''
  if (number < 100) {
    const rest = number % 10
    return (tens[Math.floor(number / 10)] ?? '') + (rest === 0 ? '' : ` ${small[rest]}`)
  }
  const rest = number % 100
  return `${small[Math.floor(number / 100)]} hundred${rest === 0 ? '' : ` ${hundredWords(rest)}`}`
}

export function ordinalWords(number: number): string {
  const words = wholeWords(number).split(' ')
  const last = words.pop() ?? ''
  const ordinal = ordinals[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`)
  return [...words, ordinal].join(' ')
}

/** 1984: nineteen eighty four. */
export function yearWords(year: number): string {
  const century = Math.floor(year / 100)
  const rest = year % 100
  if (year >= 2000 && year < 2010) return wholeWords(year)
  if (rest === 0) return year % 1000 === 0 ? wholeWords(year) : `${wholeWords(century)} hundred`
  return `${wholeWords(century)} ${rest < 10 ? `oh ${small[rest]}` : wholeWords(rest)}`
}

// A text as a person reads it aloud, in the letters the synthesizer knows: numbers, dates, times, money, units,
// abbreviations and addresses become words.
import { digitWords, numberWords, ordinalWords, wholeWords, yearWords } from './number-words.ts'

type Rule = [found: RegExp, said: string | ((...parts: string[]) => string)]

const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]

/** One of it, and several. */
const units: Record<string, [string, string]> = {
  km: ['kilometer', 'kilometers'],
  m: ['meter', 'meters'],
  cm: ['centimeter', 'centimeters'],
  mm: ['millimeter', 'millimeters'],
  kg: ['kilogram', 'kilograms'],
  g: ['gram', 'grams'],
  mg: ['milligram', 'milligrams'],
  l: ['liter', 'liters'],
  ml: ['milliliter', 'milliliters'],
  lb: ['pound', 'pounds'],
  lbs: ['pound', 'pounds'],
  oz: ['ounce', 'ounces'],
  ft: ['foot', 'feet'],
  mi: ['mile', 'miles'],
  mph: ['mile per hour', 'miles per hour'],
  'km/h': ['kilometer per hour', 'kilometers per hour'],
  ms: ['millisecond', 'milliseconds'],
  s: ['second', 'seconds'],
  min: ['minute', 'minutes'],
  h: ['hour', 'hours'],
  KB: ['kilobyte', 'kilobytes'],
  MB: ['megabyte', 'megabytes'],
  GB: ['gigabyte', 'gigabytes'],
  TB: ['terabyte', 'terabytes'],
  Hz: ['hertz', 'hertz'],
  kHz: ['kilohertz', 'kilohertz'],
  MHz: ['megahertz', 'megahertz'],
  GHz: ['gigahertz', 'gigahertz'],
  W: ['watt', 'watts'],
  kW: ['kilowatt', 'kilowatts'],
  kWh: ['kilowatt hour', 'kilowatt hours'],
  V: ['volt', 'volts'],
  '°C': ['degree Celsius', 'degrees Celsius'],
  '°F': ['degree Fahrenheit', 'degrees Fahrenheit'],
  '°': ['degree', 'degrees'],
  '%': ['percent', 'percent'],
}
const unitNames = Object.keys(units).sort((one, other) => other.length - one.length)

const currencies: Record<string, [one: string, several: string, part: string, parts: string]> = {
  $: ['dollar', 'dollars', 'cent', 'cents'],
  '€': ['euro', 'euros', 'cent', 'cents'],
  '£': ['pound', 'pounds', 'penny', 'pence'],
}

const abbreviations: Record<string, string> = {
  'Mr.': 'Mister',
  'Mrs.': 'Missus',
  'Ms.': 'Miz',
  'Dr.': 'Doctor',
  'Prof.': 'Professor',
  'St.': 'Saint',
  'Jr.': 'Junior',
  'Sr.': 'Senior',
  'vs.': 'versus',
  'etc.': 'et cetera',
  'e.g.': 'for example',
  'i.e.': 'that is',
  'approx.': 'approximately',
  'Inc.': 'Incorporated',
  'Ltd.': 'Limited',
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
const oneOf = (words: readonly string[]): string => words.map(escaped).join('|')
const amount = '-?\\d[\\d,]{0,24}(?:\\.\\d{1,24})?'

const date = (year: string, month: string, day: string): string =>
  `${months[Number(month) - 1] ?? month} ${ordinalWords(Number(day))}, ${yearWords(Number(year))}`

function money(symbol: string, whole: string, cents: string | undefined, size: string | undefined): string {
  const [one, several, part, parts] = currencies[symbol] ?? ['', '', '', '']
  if (size !== undefined) return `${numberWords(cents === undefined ? whole : `${whole}.${cents}`)} ${size} ${several}`
  const said = `${numberWords(whole)} ${whole === '1' ? one : several}`
  const rest = Number((cents ?? '').padEnd(2, '0').slice(0, 2))
  return rest === 0 ? said : `${said} and ${wholeWords(rest)} ${rest === 1 ? part : parts}`
}

function time(hours: string, minutes: string, half: string | undefined): string {
  const past = Number(minutes)
  const said = past === 0 ? (half ? '' : " o'clock") : past < 10 ? ` oh ${wholeWords(past)}` : ` ${wholeWords(past)}`
  return `${wholeWords(Number(hours))}${said}${half ? ` ${half[0]?.toLowerCase()} m` : ''}`
}

function address(text: string): string {
  const [, end = ''] = /([.,!?;:)]*)$/.exec(text) ?? []
  const said = text
    .slice(0, text.length - end.length)
    .replace(/^(?:https?:\/\/)?(?:www\.)?/i, '')
    .replace(/\/$/, '')
    .replaceAll('@', ' at ')
    .replaceAll('.', ' dot ')
    .replaceAll('/', ' slash ')
    .replaceAll('-', ' dash ')
    .replaceAll('_', ' underscore ')
    .replace(/[?#&=:%]+/g, ' ')
  return said + end
}

/** In this order: what is found by one is words for the next. */
const rules: Rule[] = [
  [/```[^\n]*|[*_`~]{1,3}(?=\S)|(?<=\S)[*_`~]{1,3}(?=\W|$)/g, ' '],
  [/^\s{0,3}(?:#{1,6}|>|[-*+])\s+/gm, ''],
  [/\[([^[\]\n]{1,200})\]\([^\s()]{1,500}\)/g, (_, label = '') => label],
  [/https?:\/\/\S+|www\.\S+|\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/gi, address],
  [/\b[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.(?:com|org|net|io|dev|edu|gov)\b(?:\/\S*)?/gi, address],
  [/\b(\d{4})-(\d{2})-(\d{2})\b/g, (_, year = '', month = '', day = '') => date(year, month, day)],
  [/\b(\d{1,2})\/(\d{1,2})\/(\d{4})\b/g, (_, month = '', day = '', year = '') => date(year, month, day)],
  [
    new RegExp(`\\b(${months.join('|')}) (\\d{1,2})(?:st|nd|rd|th)?\\b`, 'g'),
    (_, month = '', day = '') => `${month} ${ordinalWords(Number(day))}`,
  ],
  [
    /\b([01]?\d|2[0-3]):([0-5]\d)(?:\s?([ap])\.?m\b\.?)?/gi,
    (_, hours = '', minutes = '', half) => time(hours, minutes, half),
  ],
  [
    /([$€£])(\d[\d,]*)(?:\.(\d+))?(?:\s(thousand|million|billion|trillion)\b)?/g,
    (_, symbol = '', whole = '', cents, size) => money(symbol, whole, cents, size),
  ],
  [
    new RegExp(`(?<![\\w.])(${amount})\\s?(${oneOf(unitNames)})(?![\\w/])`, 'g'),
    (_, number = '', unit = '') => `${numberWords(number)} ${units[unit]?.[number === '1' ? 0 : 1] ?? unit}`,
  ],
  [/\b(\d+)(?:st|nd|rd|th)\b/g, (_, number = '') => ordinalWords(Number(number))],
  [new RegExp(`(?<!\\w)(?:${oneOf(Object.keys(abbreviations))})`, 'g'), (found) => abbreviations[found] ?? found],
  [/\b(1[1-9]\d\d|20\d\d)\b(?![,.]\d)/g, (year) => yearWords(Number(year))],
  [/\b\d{7,}\b/g, (digits) => digitWords(digits)],
  [new RegExp(`(?<![\\w.])${amount}(?![\\w])`, 'g'), (number) => numberWords(number)],
  [/\s&\s/g, ' and '],
  [/\s\+\s/g, ' plus '],
  [/\s=\s/g, ' equals '],
  [/[\u2018\u2019\u02bc]/g, "'"],
  [/[\u201c\u201d\u00ab\u00bb]/g, '"'],
  [/\s*[\u2013\u2014]\s*/g, ', '],
  [/\u2026/g, '...'],
]

export function spokenText(text: string): string {
  let spoken = text
  for (const [found, said] of rules) {
    spoken = typeof said === 'string' ? spoken.replace(found, said) : spoken.replace(found, said)
  }
  return spoken
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\n\x20-\x7e]/g, ' ')
}

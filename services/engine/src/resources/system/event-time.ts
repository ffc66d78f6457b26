// Times that callers ask for events by: seconds with a fraction, RFC 3339, or how long ago.
import { invalidParameter } from '../../errors.ts'

const nanosecondsInMillisecond = 1e6
const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
const duration = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/

/** In nanoseconds since 1970; undefined when nothing was asked. */
export function eventTime(name: string, text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined || text === '') return undefined
  if (/^\d{1,12}(\.\d{1,9})?$/.test(text)) return fromSeconds(text)
  if (duration.test(text)) return (nowMs - durationMs(text)) * nanosecondsInMillisecond
  const milliseconds = /^\d{4}-/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(milliseconds)) {
    throw invalidParameter(`invalid ${name}: '${text}' is no time; give seconds since 1970, RFC 3339, or a duration`)
  }
  return milliseconds * nanosecondsInMillisecond
}

/** `1700000000.25`: rounded once only, so that the time of an event finds that event again. */
function fromSeconds(text: string): number {
  const [seconds = '', fraction = ''] = text.split('.')
  return Number(BigInt(seconds + fraction.padEnd(9, '0')))
}

function durationMs(text: string): number {
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)].reduce(
    (sum, [, amount, unit = '']) => sum + Number(amount) * (unitMs[unit] ?? 0),
    0,
  )
}

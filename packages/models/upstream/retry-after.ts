// When a server wants to be asked again, from the headers of its answer.
import type { Clock } from '@atoll/kernel/clock/clock'

/** Nobody waits longer than this for what a header says. */
const longestMs = 3_600_000

type Headers = Readonly<Record<string, string | string[] | undefined>>

export function retryAfterMs(headers: Headers, clock: Clock): number | undefined {
  return milliseconds(single(headers['retry-after-ms'])) ?? secondsOrDate(single(headers['retry-after']), clock)
}

function secondsOrDate(text: string | undefined, clock: Clock): number | undefined {
  if (text === undefined) return undefined
  const seconds = milliseconds(text)
  if (seconds !== undefined) return bounded(seconds * 1000)
  // Dates begin with the day's name: anything else is no date, whatever Date makes of it.
  const date = /^[A-Z][a-z]/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : bounded(date - clock.now())
}

function milliseconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}(?:\.\d{1,12})?$/.test(text) ? bounded(Number(text)) : undefined
}

const bounded = (ms: number): number => Math.min(longestMs, Math.max(0, ms))

const single = (value: string | string[] | undefined): string | undefined =>
  (Array.isArray(value) ? value[0] : value)?.trim()

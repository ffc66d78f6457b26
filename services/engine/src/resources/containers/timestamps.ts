// Points in time and how long ago they are, in the words that people know.

/** For what has not happened. */
export const never = '0001-01-01T00:00:00Z'

/** RFC 3339. */
export const timestampOf = (milliseconds: number): string => new Date(milliseconds).toISOString()

export const isNever = (timestamp: string): boolean => timestamp.startsWith('0001-')

/** Milliseconds since the epoch; 0 for never. */
export const millisecondsOf = (timestamp: string): number => (isNever(timestamp) ? 0 : Date.parse(timestamp))

const minute = 60
const hour = 60 * minute
const day = 24

export function duration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000)
  if (seconds < 1) return 'Less than a second'
  if (seconds === 1) return '1 second'
  if (seconds < minute) return `${seconds} seconds`
  const minutes = Math.floor(seconds / minute)
  if (minutes === 1) return 'About a minute'
  if (minutes < 60) return `${minutes} minutes`
  const hours = Math.floor(seconds / hour + 0.5)
  if (hours === 1) return 'About an hour'
  if (hours < 2 * day) return `${hours} hours`
  if (hours < 14 * day) return `${Math.floor(hours / day)} days`
  if (hours < 60 * day) return `${Math.floor(hours / (7 * day))} weeks`
  if (hours < 730 * day) return `${Math.floor(hours / (30 * day))} months`
  return `${Math.floor(hours / (365 * day))} years`
}

/** As Go writes it: `50ms`, `1.5s`, `1m30s`, `2h0m0s`. */
export function goDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${milliseconds}ms`
  const [hours, minutes] = [Math.floor(milliseconds / 3_600_000), Math.floor(milliseconds / 60_000) % 60]
  const seconds = `${(milliseconds % 60_000) / 1_000}s`
  if (hours > 0) return `${hours}h${minutes}m${seconds}`
  return minutes > 0 ? `${minutes}m${seconds}` : seconds
}

// Durations as Go prints them: what clients of the x-ratelimit-reset headers parse.
const msPerSecond = 1000
const msPerMinute = 60 * msPerSecond
const msPerHour = 60 * msPerMinute
/** The longest duration Go can hold, in whole milliseconds. */
const longestMs = 9_223_372_036_854

/** `0s`, `84ms`, `8.64s`, `6m0s`, `1h0m0s`. Parts of a millisecond round up, so that what is to come never reads as past. */
export function goDuration(ms: number): string {
  if (Number.isNaN(ms)) throw new RangeError('A duration must be a number.')
  if (ms < 0) return `-${goDuration(-ms)}`
  const whole = Math.min(Math.ceil(ms), longestMs)
  if (whole === 0) return '0s'
  if (whole < msPerSecond) return `${whole}ms`
  const hours = Math.floor(whole / msPerHour)
  const minutes = Math.floor((whole % msPerHour) / msPerMinute)
  const seconds = `${(whole % msPerMinute) / msPerSecond}s`
  if (hours > 0) return `${hours}h${minutes}m${seconds}`
  return minutes > 0 ? `${minutes}m${seconds}` : seconds
}

// Whether the agent may be woken at this time of day.
import type { ActiveHours } from './config.ts'

const minutesPerHour = 60
const minutesPerDay = 24 * minutesPerHour
const msPerMinute = 60_000

export function isActiveAt(hours: ActiveHours | undefined, now: number): boolean {
  if (hours === undefined) return true
  const [start, end, at] = [minutes(hours.start), minutes(hours.end), minutesIn(hours.timezone, now)]
  if (start === end) return true
  return start < end ? at >= start && at < end : at >= start || at < end
}

/** Null: it is active now. At most an hour ahead, since clocks may be set forward meanwhile: then ask again. */
export function nextActiveAt(hours: ActiveHours | undefined, now: number): number | null {
  if (hours === undefined || isActiveAt(hours, now)) return null
  const untilStart = (minutes(hours.start) - minutesIn(hours.timezone, now) + minutesPerDay) % minutesPerDay
  const thisMinute = now - (now % msPerMinute)
  return thisMinute + Math.min(untilStart, minutesPerHour) * msPerMinute
}

function minutes(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return hour * minutesPerHour + minute
}

function minutesIn(timeZone: string, now: number): number {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  return minutes(format.format(now))
}

// What can be set about the heartbeat.
import { z } from 'zod'

const msPerUnit: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const durationPattern = /^(\d{1,6})(s|m|h|d)$/
const maxPromptLetters = 20_000

/** `30m`; undefined when it is none. */
export function durationMs(text: string): number | undefined {
  const [, amount, unit = ''] = durationPattern.exec(text) ?? []
  const ms = msPerUnit[unit]
  return amount === undefined || ms === undefined ? undefined : Number(amount) * ms
}

const TimeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/)
  .meta({ expects: 'a time of day like 08:30' })

const ActiveHours = z.strictObject({
  start: TimeOfDay,
  /** May be before `start`: then the hours go over midnight. */
  end: TimeOfDay,
  timezone: z.string().refine(isTimezone).meta({ expects: 'a time zone like Europe/Berlin' }).default('UTC'),
})
export type ActiveHours = z.output<typeof ActiveHours>

export const HeartbeatConfig = z.strictObject({
  /** `0m`: none by itself; hooks that say `now` still get theirs. */
  every: z
    .string()
    .refine((text) => durationMs(text) !== undefined)
    .meta({ expects: 'a duration like 30m, 2h or 0m (off)' })
    .default('30m'),
  prompt: z
    .string()
    .min(1)
    .max(maxPromptLetters)
    .meta({ expects: 'a text' })
    .default(
      'This is a heartbeat. Look at the events above, and at HEARTBEAT.md when its content follows, and do what it ' +
        'says, nothing else; tasks of earlier turns are over. When nothing needs attention, reply HEARTBEAT_OK.',
    ),
  ackMaxChars: z.int().min(0).max(100_000).meta({ expects: 'a whole number from 0 to 100000' }).default(300),
  /** Absent: all day. Outside of them events wait. */
  activeHours: ActiveHours.optional(),
})
export type HeartbeatConfig = z.output<typeof HeartbeatConfig>

/** Null: none comes by itself. */
export function nextDue({ every }: HeartbeatConfig, now: number): number | null {
  const ms = durationMs(every) ?? 0
  return ms === 0 ? null : now + ms
}

function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

// Times and numbers of lines, as readers of logs write them.
import { z } from 'zod'

export const LogsParams = z.object({ id: z.string() })

const nanoDigits = 9

/** A time as text that compares like the times in a log, from Unix seconds (`1794707930.5`) or RFC 3339. */
function readMoment(text: string): string | undefined {
  const [, seconds, unixFraction = ''] = /^(\d{1,12})(?:\.(\d{0,9}))?$/.exec(text) ?? []
  if (seconds !== undefined) return momentAt(Number(seconds) * 1_000, unixFraction)
  const written = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/.exec(text)
  if (written === null) return undefined
  const withoutFraction = text.replace(/\.\d+/, '')
  return momentAt(Date.parse(withoutFraction), written[1] ?? '')
}

function momentAt(ms: number, fraction: string): string | undefined {
  const date = new Date(ms)
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9_999) return undefined
  return `${date.toISOString().slice(0, 19)}.${fraction.padEnd(nanoDigits, '0')}Z`
}

export const moment = z
  .string()
  .optional()
  .transform((text, context) => {
    if (text === undefined || /^-|^0*(\.0*)?$/.test(text)) return undefined
    const read = readMoment(text)
    if (read !== undefined) return read
    context.addIssue({ code: 'custom', message: `'${text}' is no time: give Unix seconds or RFC 3339` })
    return z.NEVER
  })

/** All lines, unless a number of them is asked for: whatever else is said, as dockerd does. */
export const tail = z
  .string()
  .optional()
  .transform((text) => (text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined))

// A moment as filters write it: Unix seconds, a date, or a duration back from now (`10m`, `1h30m`).
import { invalidParameter } from '../errors.ts'

const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
const zoneless = /^\d{4}-\d{2}-\d{2}(T\d{2}(:\d{2}(:\d{2}(\.\d+)?)?)?)?$/

/** In milliseconds. */
export function parseMoment(text: string, nowMs: number): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)]
  if (parts.length > 0 && parts.map(([part]) => part).join('') === text) {
    return nowMs - parts.reduce((sum, [, amount, unit = 's']) => sum + Number(amount) * (units[unit] ?? 0), 0)
  }
  const date = Date.parse(zoneless.test(text) ? completed(text) : text)
  if (!/^\d{4}-\d{2}/.test(text) || Number.isNaN(date)) {
    throw invalidParameter(`invalid timestamp '${text.slice(0, 100)}': it must be Unix seconds, a date or a duration`)
  }
  return date
}

/** `2024-01-02T03` is three o'clock. */
function completed(text: string): string {
  const [day = '', time = ''] = text.split('T')
  const [hours = '00', minutes = '00', seconds = '00'] = time === '' ? [] : time.split(':')
  return `${day}T${hours}:${minutes}:${seconds}Z`
}

// From when on: some time ago, or a date.
import { CommandProblem } from '../command-problem.ts'

const unitSeconds: Record<string, number> = { m: 60, h: 3600, d: 86_400 }

/** In Unix seconds. */
export function startOf(text: string, now: number): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  if (count !== undefined && unit !== undefined) {
    return Math.max(0, Math.floor(now / 1000) - Number(count) * (unitSeconds[unit] ?? 0))
  }
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw new CommandProblem(`${text} is no time; say 7d, 24h, 90m or a date such as 2026-01-31.`)
  return Math.max(0, Math.floor(time / 1000))
}

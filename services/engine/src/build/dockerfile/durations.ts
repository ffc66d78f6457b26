// Durations as Go writes them: `1h30m`, `1.5s`, `500ms`.
import { Wrong } from './problem.ts'

const nanoseconds: Readonly<Record<string, number>> = {
  ...{ ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3_600e9 },
}
const maxNanoseconds = 2 ** 63

/** In nanoseconds. */
export function readDuration(text: string): number {
  if (text === '0') return 0
  const [, sign, amounts = ''] = /^([+-]?)(.*)$/s.exec(text) ?? []
  const parts = [...amounts.slice(0, 100).matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== amounts) {
    throw new Wrong(`time: invalid duration ${JSON.stringify(text)}`)
  }
  const sum = parts.reduce((total, [, amount, unit = 's']) => total + Number(amount) * (nanoseconds[unit] ?? 0), 0)
  if (sum >= maxNanoseconds) throw new Wrong(`time: invalid duration ${JSON.stringify(text)}`)
  return Math.round(sign === '-' ? -sum : sum)
}

// Amounts of memory as redis.conf writes them: 1k is 1,000 bytes, 1kb is 1,024.
import { CommandProblem } from '../command-problem.ts'

const units: Record<string, number> = {
  ...{ '': 1, b: 1 },
  ...{ k: 1_000, m: 1_000_000, g: 1_000_000_000 },
  ...{ kb: 1_024, mb: 1_024 ** 2, gb: 1_024 ** 3 },
}

export function memoryBytes(text: string): number {
  const [, amount = '', unit = ''] = /^(\d+)\s*([a-z]*)$/i.exec(text.trim()) ?? []
  const factor = units[unit.toLowerCase()]
  if (amount === '' || factor === undefined) {
    throw new CommandProblem(`--memory ${text} is no amount of memory; it looks like 100mb or 2gb.`)
  }
  return Number(amount) * factor
}

export function memoryText(bytes: number): string {
  if (bytes === 0) return 'no limit'
  const unit = (['gb', 'mb', 'kb'] as const).find((name) => bytes % (units[name] ?? 1) === 0)
  return unit === undefined ? `${bytes} bytes` : `${bytes / (units[unit] ?? 1)}${unit}`
}

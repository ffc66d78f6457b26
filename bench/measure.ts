// What the benchmarks share: medians, spreads and a load generator.
import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Half the distance from lowest to highest, as a percentage of the median: how much one run can be trusted. */
export const spreadPercent = (values: readonly number[]): number =>
  Math.round(((Math.max(...values) - Math.min(...values)) / 2 / median(values)) * 100)

/** wrk runs beside the servers without being the bottleneck, unlike load generators in JavaScript. */
export function requireWrk(): void {
  try {
    execFileSync('wrk', ['--version'], { stdio: 'ignore' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return // prints its version and exits with 1
    throw new Error('This benchmark needs wrk (Debian: apt-get install wrk).')
  }
}

export async function requestsPerSecond(
  url: string,
  connections: number,
  seconds: number,
  headers: Record<string, string>,
): Promise<number> {
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`]
  for (const [name, value] of Object.entries(headers)) args.push('-H', `${name}: ${value}`)
  const { stdout } = await run('wrk', [...args, url])
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`Not every request succeeded:\n${stdout}`)
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]
  if (!rate) throw new Error(`wrk said nothing of a rate:\n${stdout}`)
  return Number(rate)
}
